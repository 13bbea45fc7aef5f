"""Opens a page in headless Chromium and reports, as JSON, what a user of it finds.

`browser.py URL [--width 1280] [--height 800] [--screenshot FILE] [--script FILE] [--forms]`: console
messages, network requests beside the page's own, load time, cited figures, what hover, zoom and keys
do to the first chart. `--script` is JavaScript whose result is printed as `script`; it may return a
promise. `--screenshot` shows the page after the script, with nothing else done to it. `--forms` adds
what a screen reader and a keyboard find, and the page in the dark and on paper.

The address may be of a server that listens later. Standard error has a line "ready" when Chromium
runs, and "open" when the page is loaded, and a live page has a row.
"""

import argparse
import json
import socket
import sys
import time
from urllib.parse import urlsplit

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
    browser = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    # A window is never as narrow as a telephone.
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
    return browser


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
    report["expected"] = browser.execute_script(EXPECTED)
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


# The row below the cursor, from the data in the page (none in a live one) and not from what the chart has made of it.
EXPECTED = """
const figure = document.querySelector('figure.drawn');
const script = figure.querySelector('script');
// A live page gets its data by events.
if (!script) return null;
const data = JSON.parse(script.textContent);
const index = Flotilla.charts[0].dygraph.getSelection();
if (data.points) return { instant: data.points[index].name, values: [data.points[index].text] };
const digits = (value, count) => value.toLocaleString('en-US', { maximumSignificantDigits: count });
const texts = {
  plain: (value) => digits(value, 4), share: (value) => `${digits(value * 100, 3)} %`,
  time: (value) => value < 1e3 ? `${digits(value, 3)} µs` : value < 1e6
    ? `${digits(value / 1e3, 3)} ms` : `${digits(value / 1e6, 3)} s`,
};
const instant = figure.querySelector('.instant').textContent;
const row = data.rows[index];
const values = row.slice(1).map((one) => {
  const value = Array.isArray(one) ? one[1] : one;
  return value === null || value === '-' ? '–' : texts[data.y.form](value);
});
const x = data.x.form === 'clock'
  ? [3600, 60, 1].map((unit, i) => String(Math.floor(row[0] / unit) % (i ? 60 : 24))
    .padStart(2, '0')).join(':') + (row[0] >= 86400 ? ` +${Math.floor(row[0] / 86400)} d` : '')
  : instant;
return { instant: x, values };
"""
FOCUSABLE = "a[href], button, input, select, summary, [tabindex='0']"

LOOK = """
const seen = (one) => one.checkVisibility() && one.getClientRects().length > 0;
const count = (name) => [...document.querySelectorAll(name)].filter(seen).length;
const style = getComputedStyle(document.body);
return {
  paper: style.backgroundColor, text: style.color, plots: count('.plot'),
  pictures: count('figure > svg'), tables: count('details.facts table'),
  openTables: document.querySelectorAll('details.facts table').length,
  isWide: document.documentElement.scrollWidth > document.documentElement.clientWidth,
};
"""


def tree(browser):
    """Roles and names of all nodes that a screen reader finds."""
    browser.execute_cdp_cmd("Accessibility.enable", {})
    nodes = browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    return [[node["role"]["value"], node.get("name", {}).get("value", "")]
            for node in nodes if not node.get("ignored") and "role" in node]


def keyboard(browser):
    """How many elements take the focus by Tab, of all that can, and those that do not show it."""
    wanted = browser.execute_script(
        "window.wanted = [...document.querySelectorAll(arguments[0])].filter("
        "one => one.checkVisibility() && !one.disabled);"
        "document.activeElement.blur(); scrollTo(0, 0); return wanted.length", FOCUSABLE)
    reached, unseen = set(), []
    for _ in range(wanted + 40):
        ActionChains(browser).send_keys(Keys.TAB).perform()
        place, outline, name = browser.execute_script(
            "const one = document.activeElement; const style = getComputedStyle(one);"
            "return [wanted.indexOf(one), style.outlineStyle, `${one.tagName} ${one.className}`]")
        if place in reached:
            break
        if place >= 0:
            reached.add(place)
            if outline == "none":
                unseen.append(name)
    missed = browser.execute_script(
        "return wanted.filter((one, i) => !arguments[0].includes(i))"
        ".filter(one => one.type !== 'radio').map(one => `${one.tagName} ${one.className}`)",
        list(reached))
    return {"focusable": wanted, "missed": missed, "unseen": unseen}


def media(browser, kind, scheme):
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": kind, "features": features})
    # The page has been told before the second frame is drawn.
    browser.execute_async_script(
        "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))")
    return browser.execute_script(LOOK)


def forms(browser):
    report = {"tree": tree(browser), "keyboard": keyboard(browser)}
    report["light"] = media(browser, "screen", "light")
    report["dark"] = media(browser, "screen", "dark")
    report["print"] = media(browser, "print", "dark")
    report["pdf"] = len(browser.execute_cdp_cmd("Page.printToPDF", {})["data"])
    media(browser, "", "light")
    return report


def is_open(browser):
    return browser.execute_script(
        "return performance.getEntriesByType('navigation')[0].loadEventEnd > 0"
        " && (!window.FlotillaLive || FlotillaLive.rows().length > 0)")


def open_page(browser, url):
    print("ready", file=sys.stderr, flush=True)
    address = urlsplit(url)
    while address.port:
        try:
            socket.create_connection((address.hostname, address.port)).close()
            break
        except OSError:
            time.sleep(0.05)
    browser.get(url)
    while not is_open(browser):
        time.sleep(0.05)
    print("open", file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("url")
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--height", type=int, default=800)
    parser.add_argument("--screenshot")
    parser.add_argument("--script")
    parser.add_argument("--forms", action="store_true")
    options = parser.parse_args()
    browser = driver(options.width, options.height)
    try:
        open_page(browser, options.url)
        report = {
            "title": browser.title,
            "scrollWidth": browser.execute_script("return document.documentElement.scrollWidth"),
            "innerWidth": browser.execute_script("return document.documentElement.clientWidth"),
            "facts": browser.execute_script(
                "return [...document.querySelectorAll('[data-key]:not([data-file])')]"
                ".map(one => [one.dataset.key, one.dataset.form, one.textContent])"),
        }
        # A live page is at rest after its script.
        if not options.screenshot and not options.script:
            report["charts"] = charts(browser)
        if options.forms:
            report["forms"] = forms(browser)
        if options.script:
            browser.set_script_timeout(240)
            with open(options.script) as script:
                report["script"] = browser.execute_async_script(
                    "const done = arguments[arguments.length - 1];"
                    f"(async () => {{ {script.read()} }})().then(done, e => done(String(e)))")
        if options.screenshot:
            browser.save_screenshot(options.screenshot)
        report["requests"] = requests(browser, options.url)
        report["console"] = [entry["message"] for entry in browser.get_log("browser")]
    finally:
        browser.quit()
    print(json.dumps(report))


main()
