#!/usr/bin/env bash
# Chromium and its driver, for `make test-report`: Debian's, installed if we may; else the tests skip.
set -euo pipefail

missing=()
command -v chromium > /dev/null || missing+=(chromium)
command -v chromedriver > /dev/null || missing+=(chromium-driver)
[ ${#missing[@]} = 0 ] && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
  echo "installing ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  if apt-get update -qq && apt-get install -y -qq --no-install-recommends "${missing[@]}" fonts-dejavu-core > /dev/null; then
    exit 0
  fi
fi
echo "no Chromium: the tests in a browser skip (apt-get install ${missing[*]})"
