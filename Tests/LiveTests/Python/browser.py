"""Opens a page in headless Chromium and reports, as JSON, what a user of it finds.

`browser.py URL [--width 1280] [--height 800] [--screenshot FILE] [--script FILE]`: console messages,
network requests beside the page's own, load time, cited figures, what hover, zoom and keys do to the
first chart. `--script` is JavaScript whose result is printed as `script`; it may return a promise.
"""

import argparse
import json
import time

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys


def driver(width, height):
    options = webdriver.ChromeOptions()
    for word in ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                 f"--window-size={width},{height}"]:
        options.add_argument(word)
    options.binary_location = "/usr/bin/chromium"
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))


def requests(browser, url):
    """Addresses that the page asked for, without its own and those of data in it."""
    found = []
    for entry in browser.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            asked = message["params"]["request"]["url"]
            if asked.split("#")[0] != url and not asked.startswith(("data:", "blob:")):
                found.append(asked)
    return found


def readout(figure):
    values = figure.find_elements(By.CSS_SELECTOR, ".readout .value")
    return {
        "instant": figure.find_element(By.CSS_SELECTOR, ".readout .instant").text,
        "values": [value.text for value in values],
    }


def instants(browser):
    return [one.text for one in browser.find_elements(By.CSS_SELECTOR, ".panel .readout .instant")]


def charts(browser):
    """Hover, zoom and keys on the first chart, and what the others of its axis do."""
    figures = browser.find_elements(By.CSS_SELECTOR, "figure.drawn")
    if not figures:
        return None
    first = figures[0]
    plot = first.find_element(By.CSS_SELECTOR, ".plot")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", plot)
    window = "return Flotilla.charts.map(one => one.dygraph.xAxisRange())"
    report = {"figures": len(figures), "whole": browser.execute_script(window)}
    ActionChains(browser).move_to_element_with_offset(plot, 40, 0).perform()
    report["hover"] = readout(first)
    report["hoverOthers"] = instants(browser)
    ActionChains(browser).move_to_element_with_offset(plot, -100, 0).click_and_hold() \
        .move_by_offset(150, 0).release().perform()
    report["zoomed"] = browser.execute_script(window)
    ActionChains(browser).move_to_element_with_offset(plot, 0, 0).double_click().perform()
    report["again"] = browser.execute_script(window)
    plot.send_keys(Keys.HOME)
    report["home"] = readout(first)
    plot.send_keys(Keys.ARROW_RIGHT)
    report["next"] = readout(first)
    report["spoken"] = first.find_element(By.CSS_SELECTOR, ".spoken").get_attribute("textContent")
    return report


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("url")
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--height", type=int, default=800)
    parser.add_argument("--screenshot")
    parser.add_argument("--script")
    options = parser.parse_args()
    browser = driver(options.width, options.height)
    try:
        browser.get(options.url)
        time.sleep(0.2)
        timing = "const t = performance.getEntriesByType('navigation')[0]; return t.loadEventEnd"
        report = {
            "title": browser.title,
            "loadMilliseconds": browser.execute_script(timing),
            "scrollWidth": browser.execute_script("return document.documentElement.scrollWidth"),
            "innerWidth": browser.execute_script("return document.documentElement.clientWidth"),
            "facts": browser.execute_script(
                "return [...document.querySelectorAll('[data-key]:not([data-file])')]"
                ".map(one => [one.dataset.key, one.dataset.form, one.textContent])"),
        }
        if options.screenshot:
            browser.save_screenshot(options.screenshot)
        report["charts"] = charts(browser)
        if options.script:
            browser.set_script_timeout(60)
            with open(options.script) as script:
                report["script"] = browser.execute_async_script(
                    "const done = arguments[arguments.length - 1];"
                    f"(async () => {{ {script.read()} }})().then(done, e => done(String(e)))")
        report["requests"] = requests(browser, options.url)
        report["console"] = [entry["message"] for entry in browser.get_log("browser")]
    finally:
        browser.quit()
    print(json.dumps(report))


main()
