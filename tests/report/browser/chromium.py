"""A page in Chromium: what it shows, and what a hand or keys do to it."""

import time
from pathlib import Path
from typing import Any

_SECONDS = 60.0


class Tab:
    """A page that has been drawn, ``width`` pixels wide."""

    def __init__(self, driver: Any, page: Path, *, width: int = 1200, dark: bool = False) -> None:
        self.driver = driver
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        wanted = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [wanted]})
        driver.get_log("browser")  # what other pages said
        driver.get(page.as_uri())
        end = time.monotonic() + _SECONDS
        while not self.run("return document.documentElement.dataset.drawn"):
            assert time.monotonic() < end, driver.get_log("browser")
            time.sleep(0.05)

    def run(self, script: str, *arguments: Any) -> Any:
        """What JavaScript returns."""
        return self.driver.execute_script(script, *arguments)

    @property
    def console(self) -> list[str]:
        """What the page has said there."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def marks(self, title: str) -> list[Any]:
        """The marks with facts of the chart whose name begins so."""
        found: list[Any] = self.run(
            "return [...document.querySelectorAll('.chart')].filter("
            "(box) => box.getAttribute('aria-label').startsWith(arguments[0]))"
            ".flatMap((box) => [...box.querySelectorAll('.facts_marks > path')])",
            title,
        )
        return found

    def point_at(self, element: Any) -> dict[str, str]:
        """The tip that is shown there."""
        from selenium.webdriver.common.action_chains import ActionChains

        self.run("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", element)
        self.settle()
        ActionChains(self.driver).move_to_element(element).perform()
        return self.tip

    def settle(self) -> None:
        """Wait until what has moved is told so."""
        script = "const done = arguments[0]; requestAnimationFrame(() => setTimeout(done, 0))"
        self.driver.execute_async_script(script)

    def press(self, *names: str) -> dict[str, str]:
        """The tip that is shown after some keys."""
        from selenium.webdriver.common.action_chains import ActionChains
        from selenium.webdriver.common.keys import Keys

        for name in names:
            ActionChains(self.driver).send_keys(getattr(Keys, name)).perform()
            self.settle()
        return self.tip

    @property
    def tip(self) -> dict[str, str]:
        """What is shown; nothing if it is hidden."""
        found: dict[str, str] = self.run(
            "const tip = document.getElementById('tip'); if (tip.hidden) return {};"
            "const text = (all) => [...tip.querySelectorAll(all)].map((one) => one.textContent);"
            "const values = text('dd');"
            "return Object.fromEntries(text('dt').map((name, place) => [name, values[place]]))"
        )
        return found

    @property
    def focus(self) -> str:
        """What has it, in words for who cannot see it."""
        words: str = self.run(
            "const one = document.activeElement;"
            "return one.getAttribute('aria-label') || one.textContent"
        )
        return words
