"""Chromium without a window, and pages in it; without one of them these tests skip."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.report.browser.chromium import Tab

_SWITCHES = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A driver of a browser that has no network."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    places = [shutil.which(name) for name in ("chromium", "chromedriver")]
    if None in places:
        pytest.skip("there is no chromium and chromedriver on this machine")
    options = webdriver.ChromeOptions()
    options.binary_location = places[0]
    for switch in _SWITCHES:
        options.add_argument(switch)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options, webdriver.ChromeService(places[1]))
    try:
        driver.execute_cdp_cmd("Network.enable", {})
        offline = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
        driver.execute_cdp_cmd("Network.emulateNetworkConditions", offline)
        yield driver
    finally:
        driver.quit()


@pytest.fixture
def opened(chromium: Any, tmp_path: Path) -> Callable[..., Tab]:
    """``opened(page, width=1200, dark=False)``: a page in the browser, drawn."""
    return lambda page, **settings: Tab(chromium, page.save(tmp_path / "page.html"), **settings)
