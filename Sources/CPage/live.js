'use strict';
// The live page: rows of timeline.csv, maps and the newest state come as Server-Sent Events. Texts
// are set as text, never as markup.
(() => {
  const setup = JSON.parse(document.getElementById('live').textContent);
  const at = (id) => document.getElementById(id);
  const place = Object.fromEntries(setup.columns.map((name, i) => [name, i]));
  // A row a second; beyond this every second one of those kept is dropped, as the server does.
  const rowsMax = 10800;
  let rows = [];
  let midnight;
  // The first time tells the day of the clock.
  const begin = (scenarioSeconds) => {
    midnight ??= Math.floor((scenarioSeconds + setup.utcOffset) / 86400) * 86400;
  };

  const make = (name, className, text) => {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  };

  const number = (field) => (field === undefined || field === '' ? NaN : Number(field));
  const values = (column) => rows.map((row) => number(row[place[column]]));

  // MARK: Charts

  const panels = setup.panels.map((panel) => ({ ...panel, figure: undefined, chart: undefined }));

  const point = (panel, row) => [
    number(row[place.scenario_s]) + setup.utcOffset - midnight,
    ...panel.series.map((one) => number(row[place[one.key]])),
  ];

  const hasValue = (panel) => (row) => panel.series.some((one) => {
    const value = number(row[place[one.key]]);
    return panel.needsValue ? value > 0 : !Number.isNaN(value);
  });

  const form = { zero: 'plain', share: 'share', powers: 'time' };

  const open = (panel) => {
    const figure = make('figure', 'panel');
    // In the order of the panels, whichever has its first value first.
    const next = panels.slice(panels.indexOf(panel) + 1).find((one) => one.figure);
    at('panels').insertBefore(figure, next ? next.figure : null);
    panel.figure = figure;
    const shown = panels.filter((one) => one.figure);
    shown.forEach((one) => one.figure.classList.toggle('last', one === shown[shown.length - 1]));
    panel.chart = Flotilla.chart(figure, {
      title: panel.title, unit: panel.unit, series: panel.series,
      rows: rows.map((row) => point(panel, row)),
      spans: setup.outages.map(([from, to, words]) =>
        [...[from, to].map((at) => at + setup.utcOffset - midnight), words]),
      x: { form: 'clock', log: false, low: 0, high: 1, ticks: [] },
      y: { form: form[panel.axis], log: panel.axis === 'powers', fit: panel.axis, ticks: [] },
    });
    shown.filter((one) => one.chart).forEach((one) => one.chart.axes());
  };

  const draw = (fresh) => {
    if (!window.Dygraph) return;
    panels.forEach((panel) => {
      if (panel.chart && fresh) panel.chart.append(fresh.map((row) => point(panel, row)));
      else if (panel.chart) panel.chart.append(rows.map((row) => point(panel, row)), true);
      else if (rows.some(hasValue(panel))) open(panel);
    });
  };

  // MARK: Tiles

  const spark = (column) => {
    const all = values(column);
    const size = Math.ceil(all.length / 60) || 1;
    const means = [];
    for (let i = 0; i < all.length; i += size) {
      const some = all.slice(i, i + size).filter((value) => !Number.isNaN(value));
      means.push(some.length ? some.reduce((a, b) => a + b, 0) / some.length : NaN);
    }
    const known = means.filter((value) => !Number.isNaN(value));
    if (known.length < 2) return undefined;
    const floor = Math.min(0, ...known);
    const span = Math.max(Math.max(...known) - floor, 1e-9);
    let path = '';
    let begins = true;
    means.forEach((value, i) => {
      if (Number.isNaN(value)) { begins = true; return; }
      const x = (i / (means.length - 1)) * 120;
      const y = 27 - ((value - floor) / span) * 26;
      path += `${begins ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`;
      begins = false;
    });
    const vector = (name, attributes) => {
      const made = document.createElementNS('http://www.w3.org/2000/svg', name);
      Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
      return made;
    };
    const svg = vector('svg', {
      class: 'spark', viewBox: '0 0 120 28', preserveAspectRatio: 'none', 'aria-hidden': 'true',
    });
    svg.append(vector('path', {
      d: path, fill: 'none', stroke: 'var(--blue)', 'stroke-width': '1.5',
      'vector-effect': 'non-scaling-stroke',
    }));
    return svg;
  };

  const tile = (one) => {
    const met = one.level?.met;
    const standing = met === true ? ' met' : met === false ? ' failed' : '';
    const item = make('li', `tile${standing}`);
    item.id = `tile-${one.id}`;
    item.append(make('h2', '', one.title), make('p', 'value', one.value));
    if (one.level) {
      const level = make('p', 'slo', `SLO ${one.level.bound} `);
      level.append(make('b', '', met === true ? 'met so far' : met === false ? 'missed so far' : 'open'));
      item.append(level);
    }
    if (one.note) item.append(make('p', 'note', one.note));
    const curve = one.column && spark(one.column);
    if (curve) item.append(curve);
    return item;
  };

  const badge = (standing, tone) => {
    at('standing').className = `badge ${tone}`;
    at('standing').textContent = standing;
  };

  const show = (state) => {
    badge(state.standing, state.tone);
    at('name').textContent = state.name;
    at('detail').textContent = state.detail;
    at('reason').textContent = state.reason;
    at('now').textContent = state.now;
    at('share').hidden = state.share === null;
    at('share').value = state.share ?? 0;
    document.title = `${state.name}: ${state.standing}`;
    at('tiles').replaceChildren(...state.tiles.map(tile));
    at('notes').hidden = state.notes.length === 0;
    at('notes').querySelector('ul').replaceChildren(
      ...state.notes.map((text) => make('li', '', text)));
  };

  // MARK: The end

  const finish = (end) => {
    if (end.standing) {
      badge(end.standing, end.tone);
      document.title = `${at('name').textContent}: ${end.standing}`;
    }
    at('share').hidden = true;
    const line = at('ended');
    line.hidden = false;
    line.replaceChildren(end.words);
    if (end.report) {
      const address = URL.createObjectURL(new Blob([end.report], { type: 'text/html' }));
      const link = (text, download) => {
        const made = make('a', '', text);
        made.href = address;
        if (download) made.download = 'report.html';
        return made;
      };
      line.append(' ', link('Open the report'), ' · ', link('Save it', true));
    }
  };

  // MARK: Map

  let isOver = false;
  const day = async (phone) => {
    if (isOver) return undefined;
    const answer = await fetch(`phone?n=${phone}`);
    return answer.ok ? answer.json() : undefined;
  };

  let places;
  const showPlaces = (data) => {
    if (!window.L || places) return;
    begin(data.sample.instants[0]);
    const root = document.querySelector('.places');
    root.hidden = false;
    const count = data.sample.phones.length.toLocaleString('en-US');
    at('places-words').textContent = `${count} phones, at their true positions so far.`;
    at('fresh-minutes').textContent = String(Number((data.sample.freshSeconds / 60).toFixed(3)));
    places = Flotilla.showPlaces(root, {
      ...data, day, daysGrow: !setup.isRecorded, midnight: midnight - setup.utcOffset,
    });
  };

  // MARK: Events

  const events = new EventSource('events');
  const told = (text) => { at('link').textContent = text; };
  events.addEventListener('open', () => told(''));
  events.addEventListener('error', () => {
    if (isOver) return;
    const now = new Date().toLocaleTimeString('en-GB');
    told(`No answer since ${now}: these figures are from before. Trying again.`);
  });
  events.addEventListener('rows', (event) => {
    const fresh = event.data.split('\n').map((line) => line.split(','));
    begin(number(fresh[0][place.scenario_s]));
    rows.push(...fresh);
    const isThinned = rows.length > rowsMax;
    if (isThinned) rows = rows.filter((row, i) => i % 2 === 0);
    draw(isThinned ? undefined : fresh);
  });
  events.addEventListener('map', (event) => {
    const told = JSON.parse(event.data);
    if (told.sample) showPlaces(told); else places?.add(told, true);
  });
  events.addEventListener('now', (event) => places?.add(JSON.parse(event.data), false));
  events.addEventListener('state', (event) => show(JSON.parse(event.data)));
  events.addEventListener('reload', () => { events.close(); location.reload(); });
  events.addEventListener('end', (event) => {
    isOver = true;
    events.close();
    finish(JSON.parse(event.data));
  });

  // For tests and for scripts on the page.
  window.FlotillaLive = { rows: () => rows.map((row) => row.join(',')), panels };
})();
