"""A browser for tests: Debian's Chromium without a screen, driven by its own driver. It reaches no network."""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from selenium.webdriver import Chrome
    from selenium.webdriver.remote.webelement import WebElement

FLAGS: Final = (
    *("--headless", "--no-sandbox", "--no-first-run", "--no-proxy-server", "--disable-gpu", "--disable-quic"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"),
    *("--host-resolver-rules=MAP * ~NOTFOUND", "--force-prefers-color-scheme=light", "--window-size=1200,1000"),
)


def why_not() -> str | None:
    """Return the reason that there is no browser here; None if there is one."""
    try:
        import selenium  # noqa: F401  # only asked for
    except ImportError:
        return "selenium is not installed (it belongs to the dev extra)"
    missing = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    return f"{missing[0]} is not installed (Debian: chromium, chromium-driver)" if missing else None


@contextmanager
def chromium(profile: Path) -> Iterator["Chrome"]:
    """Run a browser with this new, empty profile."""
    from selenium.webdriver import Chrome, ChromeOptions, ChromeService

    # What is driven is what is installed: nothing is looked for elsewhere.
    os.environ.update(SE_OFFLINE="true", SE_AVOID_STATS="true", NO_PROXY="localhost,127.0.0.1")
    options = ChromeOptions()
    options.binary_location = str(shutil.which("chromium"))
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = Chrome(options, ChromeService(str(shutil.which("chromedriver"))))
    try:
        driver.set_script_timeout(60)
        yield driver
    finally:
        driver.quit()


def by_id(driver: "Chrome", name: str) -> "WebElement":
    return driver.find_element("id", name)


def all_of(driver: "Chrome", selector: str) -> "list[WebElement]":
    return driver.find_elements("css selector", selector)


def requested(driver: "Chrome") -> list[str]:
    """Return every address that the page has asked for since the last call."""
    log = cast("Any", driver).get_log("performance")
    messages = [json.loads(entry["message"])["message"] for entry in log]
    return [
        message["params"]["request"]["url"] for message in messages if message["method"] == "Network.requestWillBeSent"
    ]


def complaints(driver: "Chrome") -> list[str]:
    """Return the messages in the console since the last call."""
    log = cast("Any", driver).get_log("browser")
    return [entry["message"] for entry in log]
