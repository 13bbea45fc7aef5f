'use strict';
// The map of a page: the phones of a sample over the run, or one phone's day. The data are described
// in PhoneSample.swift and PlaceSection.swift, what comes while a run goes on in PhoneFrame.swift.
// There are no tiles, so that nothing is fetched.
(() => {
  const { element, svg, style, forms } = Flotilla;
  const degree = 111195;
  const earth = L.CRS.EPSG3857;

  // The rows of a list of steps.
  const rows = (steps, width, count) => {
    const all = new Float64Array(count * width);
    const row = new Float64Array(width);
    let [instant, next] = [0, 0];
    for (let at = 0; at < steps.length; at += width + 1) {
      next += steps[at];
      for (; instant < next; instant++) all.set(row, instant * width);
      for (let k = 0; k < width; k++) row[k] += steps[at + 1 + k];
    }
    for (; instant < count; instant++) all.set(row, instant * width);
    return all;
  };

  // Records of `width` numbers, of which the first `growing` are growth.
  const records = (numbers, width, growing) => {
    const all = [];
    for (let at = 0; at < numbers.length; at += width) {
      const record = numbers.slice(at, at + width);
      const before = all[all.length - 1];
      if (before) for (let k = 0; k < growing; k++) record[k] += before[k];
      all.push(record);
    }
    return all;
  };

  // A layer that one function draws. `at` turns a place of the world into the canvas.
  const Layer = L.Canvas.extend({
    initialize(paint) {
      L.Canvas.prototype.initialize.call(this, { padding: 0.4 });
      this.paint = paint;
    },
    _draw() {
      const map = this._map;
      const origin = map.getPixelOrigin();
      const scale = 2 ** map.getZoom();
      const at = (x, y) => [x * scale - origin.x, y * scale - origin.y];
      this._ctx.save();
      this.paint(this._ctx, at, this._bounds, scale);
      this._ctx.restore();
    },
    redraw() { if (this._map) this._redraw(); },
  });

  const world = (latitude, longitude) => {
    const point = earth.latLngToPoint(L.latLng(latitude / 1e6, longitude / 1e6), 0);
    return [point.x, point.y];
  };

  const duration = (seconds) => {
    const minutes = Math.max(0, Math.round(seconds / 60));
    return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  };

  const makeMap = (container) => {
    const map = L.map(container, {
      attributionControl: false, zoomSnap: 0.25, zoomDelta: 0.5, minZoom: 2, maxZoom: 20,
      scrollWheelZoom: false,
    });
    L.control.scale({ imperial: false }).addTo(map);
    // The wheel scrolls the page until the map is in use.
    map.on('focus', () => map.scrollWheelZoom.enable());
    map.on('blur', () => map.scrollWheelZoom.disable());
    return map;
  };

  // The corners of the mark of an ink, so that colour alone tells none apart; a circle without any.
  const shapes = {
    vermilion: [[0, -1.3], [1.2, 0.9], [-1.2, 0.9]],
    purple: [[0, 1.3], [1.2, -0.9], [-1.2, -0.9]],
    orange: [[-1, -1], [1, -1], [1, 1], [-1, 1]],
    blue: [[0, -1.4], [1.4, 0], [0, 1.4], [-1.4, 0]],
    grey: [[-1.3, -0.5], [1.3, -0.5], [1.3, 0.5], [-1.3, 0.5]],
    text: [[-1.3, -1.3], [0, -0.5], [1.3, -1.3], [0.5, 0], [1.3, 1.3], [0, 0.5], [-1.3, 1.3],
      [-0.5, 0]],
    yellow: [[-0.5, -1.3], [0.5, -1.3], [0.5, 1.3], [-0.5, 1.3]],
    sky: [[-0.4, -1.4], [0.4, -1.4], [0.4, -0.4], [1.4, -0.4], [1.4, 0.4], [0.4, 0.4], [0.4, 1.4],
      [-0.4, 1.4], [-0.4, 0.4], [-1.4, 0.4], [-1.4, -0.4], [-0.4, -0.4]],
  };

  const marks = (context, points, radius, ink) => {
    if (!shapes[ink]) return dots(context, points, radius);
    context.beginPath();
    points.forEach(([x, y]) => {
      shapes[ink].forEach(([dx, dy], i) =>
        (i ? context.lineTo(x + dx * radius, y + dy * radius)
          : context.moveTo(x + dx * radius, y + dy * radius)));
      context.closePath();
    });
    return undefined;
  };

  // One path, so that circles that overlap are not filled twice.
  const dots = (context, points, radius) => {
    context.beginPath();
    points.forEach(([x, y], i) => {
      const r = radius[i] ?? radius;
      context.moveTo(x + r, y);
      context.arc(x, y, r, 0, 2 * Math.PI);
    });
  };

  const line = (context, points) => {
    context.beginPath();
    points.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
    context.stroke();
  };

  const swatch = (ink) => {
    const shape = shapes[ink];
    const inside = shape
      ? svg('polygon', { points: shape.map(([x, y]) => `${x * 3.5},${y * 3.5}`).join(' ') })
      : svg('circle', { r: 4 });
    inside.style.fill = `var(--${ink})`;
    return svg(
      'svg', { class: 'mark', viewBox: '-5.5 -5.5 11 11', 'aria-hidden': 'true' }, inside);
  };

  // MARK: A day

  const kinds = [
    { name: 'wake', row: 'wakes', ink: 'blue' }, { name: 'upload', row: 'uploads', ink: 'grey' },
    { name: 'acknowledged', row: 'uploads', ink: 'green', half: -7 },
    { name: 'failed', row: 'uploads', ink: 'vermilion', half: 0 },
    { name: 'push', row: 'pushes', ink: 'grey' },
    { name: 'answered', row: 'pushes', ink: 'green', half: -7 },
    { name: 'not answered', row: 'pushes', ink: 'vermilion', half: 0 },
  ];

  const decoded = (day, sample) => {
    const place = ([, latitude, longitude]) =>
      world(latitude + sample.base[0], longitude + sample.base[1]);
    const start = sample.instants[0];
    return {
      ...day,
      times: records(day.times, 1, 1).map(([t]) => t + start),
      way: records(day.way, 3, 3).map((one) => ({ at: one[0] + start, place: place(one) })),
      fixes: records(day.fixes, 7, 3).map((one) => ({
        at: one[0] + start, place: place(one), accuracy: one[3], source: one[4],
        isKept: one[5] === 1, line: one[6],
      })),
      marks: records(day.marks, 3, 1).map(([t, kind, at]) => ({ at: t + start, kind, line: at })),
    };
  };

  // The layer of a day on a map; `day` may be replaced.
  const dayLayer = (map, data) => {
    const self = { day: null, lit: null, hover: () => {} };
    const layer = new Layer((context, at, bounds, scale) => {
      const { day, lit } = self;
      if (!day) return;
      const to = (place) => at(...place);
      const latitude = map.getCenter().lat * Math.PI / 180;
      const perMeter = 256 * scale / (40075017 * Math.cos(latitude));
      data.sourceInks.forEach((ink, source) => {
        const kept = day.fixes.filter((fix) => fix.isKept && fix.source === source);
        context.fillStyle = style(`--${ink}`);
        context.globalAlpha = 0.12;
        dots(
          context, kept.map((fix) => to(fix.place)),
          kept.map((fix) => Math.max(4, fix.accuracy * perMeter)));
        context.fill();
      });
      context.globalAlpha = 1;
      context.strokeStyle = style('--text');
      context.lineWidth = 1.5;
      context.lineJoin = 'round';
      line(context, day.way.map((one) => to(one.place)));
      context.fillStyle = style('--grey');
      dots(context, day.fixes.filter((fix) => !fix.isKept).map((fix) => to(fix.place)), 1.5);
      context.fill();
      data.sourceInks.forEach((ink, source) => {
        context.fillStyle = style(`--${ink}`);
        const kept = day.fixes.filter((fix) => fix.isKept && fix.source === source);
        marks(context, kept.map((fix) => to(fix.place)), 4, ink);
        context.fill();
      });
      if (lit) {
        context.strokeStyle = style('--vermilion');
        context.lineWidth = 3;
        dots(context, [to(lit)], 9);
        context.stroke();
      }
    }).addTo(map);
    map.on('mousemove', (event) => {
      const scale = 2 ** map.getZoom();
      const place = map.project(event.latlng).divideBy(scale);
      if (self.day) self.hover(place.x, place.y, 8 / scale);
    });
    self.show = (day) => { self.day = day; self.lit = null; layer.redraw(); };
    self.light = (place) => { self.lit = place; layer.redraw(); };
    self.redraw = () => layer.redraw();
    return self;
  };

  // The time line and the lines of a day; what is pointed at lights up in all of them.
  const dayView = (day, data, layer) => {
    const clock = (at) => forms.clock(((at - data.midnight) % 86400 + 86400) % 86400);
    const ends = [...day.times, ...[...day.way, ...day.fixes].map((one) => one.at)];
    // Not as arguments: a long way has too many points for that.
    const from = ends.reduce((a, b) => Math.min(a, b), Infinity);
    const to = ends.reduce((a, b) => Math.max(a, b), from + 1);
    const names = ['moving', 'fixes', 'wakes', 'uploads', 'pushes'];
    const width = Math.max(320, document.querySelector('.places').clientWidth);
    const [left, height, ticks] = [64, names.length * 22 + 24, width < 600 ? 3 : 6];
    const x = (at) => left + (at - from) / (to - from) * (width - left - 12);
    const y = (name) => names.indexOf(name) * 22 + 12;
    const picture = svg('svg', {
      viewBox: `0 0 ${width} ${height}`, role: 'img', tabindex: 0, class: 'timeline',
      'aria-label': `Time line of phone ${day.phone}. Arrow keys move from line to line.`,
    });
    const write = (words, where, anchor) => {
      const made = svg('text', { ...where, 'font-size': 12, 'text-anchor': anchor });
      made.textContent = words;
      picture.append(made);
    };
    const paint = (name, ink, where) =>
      picture.append(svg(name, { ...where, style: `fill: var(--${ink})` }));
    names.forEach((name) => {
      write(name, { x: 0, y: y(name) + 4 }, 'start');
      paint('rect', 'grid', { x: left, y: y(name) - 0.5, width: width - left - 12, height: 1 });
    });
    for (let i = 0; i <= ticks; i++) {
      const at = from + (to - from) * i / ticks;
      write(clock(at).slice(0, 5), { x: x(at), y: height - 4 }, i === ticks ? 'end' : 'middle');
    }
    day.way.slice(1).forEach((one, i) => {
      const before = day.way[i];
      if (one.place[0] === before.place[0] && one.place[1] === before.place[1]) return;
      paint('rect', 'text', {
        x: x(before.at), y: y('moving') - 4, height: 8,
        width: Math.max(1, x(one.at) - x(before.at)),
      });
    });
    day.fixes.forEach((fix) => paint('circle', fix.isKept ? data.sourceInks[fix.source] : 'grey', {
      cx: x(fix.at), cy: y('fixes'), r: fix.isKept ? 4 : 1.5,
    }));
    day.marks.forEach((mark) => paint('rect', kinds[mark.kind].ink, {
      x: x(mark.at) - 1.5, y: y(kinds[mark.kind].row) + (kinds[mark.kind].half ?? -7), width: 3,
      height: kinds[mark.kind].half === undefined ? 14 : 7,
    }));
    const cursor = svg('rect', { y: 0, width: 1, height: height - 18, class: 'cursor' });
    cursor.style.display = 'none';
    picture.append(cursor);

    const said = element('p', { class: 'said', 'aria-live': 'polite' }, ' ');
    const lines = element('div', {
      class: 'lines', tabindex: '0', role: 'region', 'aria-label': 'All lines of the day',
    });
    lines.append(...day.lines.map((words, i) => element('div', { 'data-line': i }, words)));
    const points = [...day.fixes, ...day.marks];
    const placeAt = (at) => {
      const after = day.way.findIndex((one) => one.at > at);
      if (after < 0) return day.way[day.way.length - 1]?.place;
      const [a, b] = [day.way[Math.max(0, after - 1)], day.way[after]];
      const share = b.at > a.at ? Math.max(0, (at - a.at) / (b.at - a.at)) : 0;
      return [0, 1].map((k) => a.place[k] + (b.place[k] - a.place[k]) * share);
    };
    let lit = -1;
    const light = (number, place) => {
      lines.children[lit]?.classList.remove('lit');
      lit = Math.min(Math.max(number, 0), day.lines.length - 1);
      const shown = lines.children[lit];
      if (!shown) return;
      shown.classList.add('lit');
      lines.scrollTop = shown.offsetTop - 60;
      said.textContent = day.lines[lit];
      cursor.style.display = '';
      cursor.setAttribute('x', x(day.times[lit]));
      layer.light(place ?? day.fixes.find((fix) => fix.line === lit)?.place
        ?? placeAt(day.times[lit]));
    };
    picture.addEventListener('mousemove', (event) => {
      const box = picture.getBoundingClientRect();
      const scale = width / box.width;
      const mouse = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
      const row = names[Math.floor((mouse[1] - 1) / 22)];
      const far = (at, name) => Math.abs(x(at) - mouse[0]) + (name === row ? 0 : 1000);
      let best = [Infinity, -1];
      for (const one of points) {
        const distance = far(one.at, one.kind === undefined ? 'fixes' : kinds[one.kind].row);
        if (distance < best[0]) best = [distance, one.line, one.accuracy ? one.place : undefined];
      }
      if (best[0] > 12) {
        day.times.forEach((at, i) => {
          const distance = Math.abs(x(at) - mouse[0]);
          if (distance < best[0]) best = [distance, i];
        });
      }
      light(best[1], best[2]);
    });
    picture.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const move = {
        ArrowLeft: lit - 1, ArrowRight: lit + 1, Home: 0, End: day.lines.length - 1,
      }[event.key];
      if (move === undefined) return;
      light(move);
      event.preventDefault();
    });
    lines.addEventListener('click', (event) => {
      const number = event.target.dataset.line;
      if (number !== undefined) light(Number(number));
    });
    const sources = data.sample.sources
      .map((name, i) => [name, data.sourceInks[i], i])
      .filter(([, , i]) => day.fixes.some((fix) => fix.isKept && fix.source === i))
      .map(([name, ink]) => element('span', { class: 'key' }, swatch(ink), `fix: ${name}`));
    const made = kinds.filter((kind, i) => day.marks.some((mark) => mark.kind === i))
      .map((kind) => element('span', { class: 'key' }, swatch(kind.ink), kind.name));
    layer.hover = (x1, y1, radius) => {
      let best = [radius];
      for (const fix of day.fixes) {
        const distance = Math.hypot(fix.place[0] - x1, fix.place[1] - y1);
        if (distance < best[0]) best = [distance, fix.line, fix.place];
      }
      if (best.length > 1) light(best[1], best[2]);
    };
    const cut = day.isCut
      ? [element('p', { class: 'note' }, 'This page has only the first part of this day.')] : [];
    return element(
      'div', { class: 'phone-day' }, element('p', {}, day.introduction),
      element(
        'div', { class: 'readout' }, element('span', { class: 'key' }, swatch('text'), 'true way'),
        ...sources, ...made),
      picture, said, lines, ...cut);
  };

  // MARK: One phone

  const onePhone = (root, data) => {
    const container = element('div', { class: 'map', 'aria-label': 'Map of the day' });
    root.append(container);
    const map = makeMap(container);
    const day = decoded(data.sample.days[0], data.sample);
    const all = [...day.way.map((one) => one.place), ...day.fixes.map((fix) => fix.place)];
    fit(map, all.map((place) => place[0]), all.map((place) => place[1]), 0);
    const layer = dayLayer(map, data);
    layer.show(day);
    root.append(dayView(day, data, layer));
    return { map, redraw: layer.redraw, day };
  };

  const fit = (map, xs, ys, tail) => {
    const range = (values) => {
      const sorted = Float64Array.from(values).sort();
      const last = sorted.length - 1;
      return [sorted[Math.floor(last * tail)] ?? 128, sorted[Math.ceil(last * (1 - tail))] ?? 128];
    };
    const [[left, right], [top, bottom]] = [range(xs), range(ys)];
    const corner = (x, y) => earth.pointToLatLng(L.point(x, y), 0);
    map.fitBounds([corner(left, top), corner(right, bottom)], { maxZoom: 16, padding: [12, 12] });
  };

  // MARK: The phones of a run

  const groupInks = ['blue', 'vermilion', 'green', 'purple', 'orange', 'sky', 'yellow', 'grey'];
  const shareInks = ['share0', 'share1', 'share2', 'share3', 'share4'];

  const phones = (root, data) => {
    const { sample } = data;
    const n = sample.phones.length;
    // The phones at each instant: a value a phone in each column.
    const frames = [];
    const columns = ['latitude', 'longitude', 'x', 'y', 'state', 'newest'];
    const addFrame = (at) => {
      const last = frames[frames.length - 1];
      const frame = { at };
      columns.forEach((name) => { frame[name] = last ? last[name].slice() : new Float64Array(n); });
      frames.push(frame);
      return frame;
    };
    const put = (frame, phone, latitude, longitude, state, newest) => {
      if (frame.latitude[phone] !== latitude || frame.longitude[phone] !== longitude
        || frame.x[phone] === 0) {
        [frame.latitude[phone], frame.longitude[phone]] = [latitude, longitude];
        [frame.x[phone], frame.y[phone]] = world(
          latitude + sample.base[0], longitude + sample.base[1]);
      }
      [frame.state[phone], frame.newest[phone]] = [state, newest];
    };
    const everState = new Set();
    {
      const all = sample.phones.map((_, phone) => [
        [sample.places[phone], 2], [sample.state[phone], 1], [sample.newest[phone], 1],
      ].map(([steps, width]) => rows(steps, width, sample.instants.length)));
      sample.instants.forEach((at, i) => {
        const frame = addFrame(at);
        all.forEach(([places, states, newest], phone) => {
          put(frame, phone, places[2 * i], places[2 * i + 1], states[i], newest[i]);
          everState.add(states[i]);
        });
      });
    }
    // Of a run that goes on, instants between those that are kept.
    let kept = frames.length;
    const lastFrame = () => frames.length - 1;
    const days = new Map(sample.days.map((day) => [day.phone, day]));
    const placesOf = (list) => {
      const all = [];
      for (let i = 0; i < list.length; i += 2) {
        all.push(world(list[i] + sample.base[0], list[i + 1] + sample.base[1]));
      }
      return all;
    };
    const homes = sample.home.map(placesOf);
    const works = sample.work.map(placesOf);
    const rests = sample.rests.map(placesOf);

    const self = { mode: 'state', instant: lastFrame(), selected: -1, hidden: new Set() };
    const shown = () => frames[self.instant];
    // The groups that phones stay in: the names of each kind's groups, and the group of a phone.
    const systems = [...new Set(sample.systems ?? [])].sort();
    const groups = {
      cohort: { names: sample.cohorts, of: (phone) => sample.cohort[phone] },
    };
    if (systems.length > 1) {
      groups.system = {
        names: systems, of: (phone) => systems.indexOf(sample.systems[sample.cohort[phone]]),
      };
    }
    const inkOf = (phone) => {
      const group = groups[self.mode];
      return group ? groupInks[group.of(phone) % groupInks.length]
        : data.inks[shown().state[phone]];
    };
    const kinds = Object.entries(groups);
    // Asked for each phone in each frame.
    const isInShownGroups = (phone) => self.hidden.size === 0
      || kinds.every(([kind, group]) => !self.hidden.has(`${kind} ${group.of(phone)}`));
    const isShown = (phone) => self.hidden.size === 0
      || (!self.hidden.has(`state ${shown().state[phone]}`) && isInShownGroups(phone));
    const point = (phone) => [shown().x[phone], shown().y[phone]];

    // The page's elements.
    const modes = element('div', { class: 'modes', role: 'radiogroup', 'aria-label': 'Colours' });
    const ground = element('input', { type: 'checkbox', checked: '' });
    const legend = element('div', { class: 'legend', role: 'group', 'aria-label': 'Shown' });
    const container = element('div', { class: 'map', 'aria-label': 'Map of the phones' });
    const play = element('button', { type: 'button', class: 'play' }, 'Play');
    const slider = element('input', {
      type: 'range', min: 0, max: lastFrame(), value: lastFrame(),
      'aria-label': 'Instant of the run',
    });
    const instant = element('output', { class: 'instant' });
    const panel = element('div', { class: 'phone-panel' });
    const choose = element('select', { 'aria-label': 'Phones whose day the page has' });
    choose.append(element('option', { value: '' }, 'Days of phones …'));
    sample.days.forEach((day) => {
      const cohort = sample.cohorts[sample.cohort[sample.phones.indexOf(day.phone)]];
      choose.append(element('option', { value: day.phone }, `Phone ${day.phone}, ${cohort}`));
    });
    [
      ['state', 'State'], ['cohort', 'Cohort'], ['system', 'System'], ['area', 'Fresh by area'],
    ].filter(([mode]) => mode !== 'system' || groups.system).forEach(([mode, name]) => {
      const input = element('input', { type: 'radio', name: 'places-mode', value: mode });
      input.checked = mode === self.mode;
      input.addEventListener('change', () => { self.mode = mode; refresh(); });
      modes.append(element('label', {}, input, ` ${name}`));
    });
    modes.append(element('label', {}, ground, ' Homes, works, ways'));
    if (sample.days.length) modes.append(choose);
    root.append(
      modes, legend, container,
      element('div', { class: 'player' }, play, slider, instant), panel);

    const map = makeMap(container);
    {
      // Where phones go later is not known yet while a run goes on.
      const places = data.day ? [...homes, ...works].flat() : [];
      fit(
        map, frames.flatMap((frame) => [...frame.x]).concat(places.map(([x]) => x)),
        frames.flatMap((frame) => [...frame.y]).concat(places.map(([, y]) => y)), 0.02);
    }

    const groundLayer = new Layer((context, at) => {
      if (!ground.checked) return;
      const wanted = sample.phones.map((_, phone) => phone)
        .filter(isInShownGroups);
      context.strokeStyle = style('--grey');
      context.globalAlpha = Math.min(0.3, 200 / n);
      context.lineWidth = 1;
      context.beginPath();
      for (const phone of wanted) {
        let [lastX, lastY] = [NaN, NaN];
        for (const { x: xs, y: ys } of frames) {
          if (xs[phone] === lastX && ys[phone] === lastY) continue;
          const [x, y] = at(xs[phone], ys[phone]);
          if (Number.isNaN(lastX)) context.moveTo(x, y); else context.lineTo(x, y);
          [lastX, lastY] = [xs[phone], ys[phone]];
        }
      }
      context.stroke();
      context.globalAlpha = 0.35;
      context.strokeStyle = style('--quiet');
      context.fillStyle = style('--quiet');
      context.beginPath();
      for (const phone of wanted) {
        homes[phone].forEach((place) => {
          const [x, y] = at(...place);
          context.rect(x - 2, y - 2, 4, 4);
        });
      }
      context.stroke();
      context.beginPath();
      for (const phone of wanted) {
        works[phone].forEach((place) => {
          const [x, y] = at(...place);
          context.moveTo(x, y - 3);
          context.lineTo(x + 3, y + 2);
          context.lineTo(x - 3, y + 2);
        });
      }
      context.fill();
    }).addTo(map);

    // Squares of a round length, some thirty across.
    const side = (() => {
      const wide = map.distance(map.getBounds().getSouthWest(), map.getBounds().getSouthEast());
      return [100, 200, 500, 1000, 2000, 5000, 10000, 20000].find((one) => wide / one <= 30) ?? 50000;
    })();
    const squares = () => {
      const height = side / degree;
      const width = height / Math.cos(sample.base[0] / 1e6 * Math.PI / 180);
      const cells = new Map();
      for (let phone = 0; phone < n; phone++) {
        if (!isInShownGroups(phone)) continue;
        const row = Math.floor(shown().latitude[phone] / 1e6 / height);
        const column = Math.floor(shown().longitude[phone] / 1e6 / width);
        const key = `${row} ${column}`;
        const cell = cells.get(key) ?? { row, column, phones: 0, fresh: 0 };
        cell.phones += 1;
        if (shown().state[phone] === 0) cell.fresh += 1;
        cells.set(key, cell);
      }
      return [...cells.values()].map((cell) => ({
        ...cell,
        low: world(sample.base[0] + cell.row * height * 1e6,
          sample.base[1] + cell.column * width * 1e6),
        high: world(sample.base[0] + (cell.row + 1) * height * 1e6,
          sample.base[1] + (cell.column + 1) * width * 1e6),
      }));
    };
    const shareInk = (cell) => shareInks[Math.min(4, Math.floor(cell.fresh / cell.phones * 5))];

    const told = dayLayer(map, data);
    const layer = new Layer((context, at, bounds) => {
      if (self.mode === 'area') {
        self.cells.forEach((cell) => {
          const [left, bottom] = at(...cell.low);
          const [right, top] = at(...cell.high);
          context.fillStyle = style(`--${shareInk(cell)}`);
          // A share of a few phones says little.
          context.globalAlpha = cell.phones < 5 ? 0.35 : 0.9;
          context.fillRect(left + 0.5, top + 0.5, right - left - 1, bottom - top - 1);
          if (right - left < 44) return;
          context.globalAlpha = 1;
          context.font = `12px ${style('--font')}`;
          context.textAlign = 'center';
          context.fillStyle = style(cell.phones >= 5 && shareInks.indexOf(shareInk(cell)) > 2 ? '--paper' : '--text');
          context.fillText(
            `${Math.round(cell.fresh / cell.phones * 100)} %`, (left + right) / 2,
            (top + bottom) / 2 + 4);
        });
        return;
      }
      const inks = new Map();
      for (let phone = 0; phone < n; phone++) {
        if (!isShown(phone)) continue;
        const place = at(...point(phone));
        if (place[0] < bounds.min.x || place[0] > bounds.max.x || place[1] < bounds.min.y
          || place[1] > bounds.max.y) continue;
        const ink = inkOf(phone);
        if (!inks.has(ink)) inks.set(ink, []);
        inks.get(ink).push(place);
      }
      const radius = n > 5000 ? 2 : 3.2;
      context.globalAlpha = told.day ? 0.35 : 1;
      inks.forEach((places, ink) => {
        context.fillStyle = style(`--${ink}`);
        marks(context, places, radius, ink);
        context.fill();
      });
      context.lineWidth = 1;
      context.strokeStyle = style('--text');
      const withDay = sample.days.map((day) => sample.phones.indexOf(day.phone)).filter(isShown);
      dots(context, withDay.map((phone) => at(...point(phone))), radius + 1.5);
      context.stroke();
      context.globalAlpha = 1;
      if (self.selected >= 0) {
        const phone = self.selected;
        context.lineWidth = 3;
        context.strokeStyle = style('--blue');
        dots(context, [at(...point(phone))], 9);
        context.stroke();
        context.fillStyle = style('--text');
        context.font = `12px ${style('--font')}`;
        const name = (place, words) => {
          const [x, y] = at(...place);
          context.fillText(words, x + 5, y - 5);
          dots(context, [[x, y]], 2.5);
          context.fill();
        };
        homes[phone].forEach((place) => name(place, 'home'));
        works[phone].forEach((place) => name(place, 'work'));
        rests[phone].forEach((place) => name(place, ''));
      }
    }).addTo(map);

    // MARK: Panel

    const age = (phone) => {
      const at = shown().newest[phone];
      return at <= -1e9 ? 'none' : duration(shown().at - sample.instants[0] - at);
    };
    let shownDay = null;
    const facts = element('dl', {});
    const showFacts = () => {
      const phone = self.selected;
      if (phone < 0) return;
      const row = (name, said) =>
        element('div', {}, element('dt', {}, name), element('dd', {}, said));
      facts.replaceChildren(
        row('cohort', sample.cohorts[sample.cohort[phone]]),
        row(`state at ${instant.value}`, words(sample.states[shown().state[phone]])),
        row('age of newest position', age(phone)),
        row('home and work', [homes[phone].length && 'home', works[phone].length && 'work']
          .filter(Boolean).join(', ') || 'unknown'),
        row('other places of rest', String(rests[phone].length)));
    };
    const folder = () => {
      if (location.protocol !== 'file:') return 'RUN';
      const path = decodeURIComponent(location.pathname).replace(/\/[^/]*$/, '');
      return /^[\w./:@%+=,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
    };
    const showDay = (day) => {
      const before = panel.querySelector('.phone-day');
      panel.querySelector(':scope > .note')?.remove();
      shownDay = decoded(day, sample);
      told.show(shownDay);
      layer.redraw();
      const view = dayView(shownDay, data, told);
      panel.append(view);
      if (!before) return;
      const scrolled = before.querySelector('.lines').scrollTop;
      before.replaceWith(view);
      view.querySelector('.lines').scrollTop = scrolled;
    };
    const note = (text) => panel.append(element('p', { class: 'note' }, text));
    let loadedAt = 0;
    // A page that is open while the run goes on asks for a day so far.
    const load = async () => {
      const phone = self.selected;
      loadedAt = Date.now();
      const day = await data.day(sample.phones[phone]).catch(() => undefined);
      if (self.selected !== phone) return;
      if (day) showDay(day);
      else if (!shownDay && !panel.querySelector('.note')) {
        note('The day cannot be read: the program has ended. Its report has the days of phones.');
      }
    };
    const fitDay = () => {
      const day = shownDay.way.map((one) => one.place);
      if (day.length) fit(map, day.map((place) => place[0]), day.map((place) => place[1]), 0);
    };
    // Returns when the day is shown.
    const open = async (phone) => {
      self.selected = phone;
      shownDay = null;
      told.show(null);
      layer.redraw();
      panel.setAttribute('aria-live', 'polite');
      panel.replaceChildren();
      if (phone < 0) return;
      const number = sample.phones[phone];
      const close = element('button', { type: 'button', class: 'close' }, 'Close');
      close.addEventListener('click', () => open(-1));
      panel.append(
        element('div', { class: 'head' }, element('h3', {}, `Phone ${number}`), close), facts);
      showFacts();
      choose.value = days.has(number) ? String(number) : '';
      if (!days.has(number)) {
        note('This page does not have its day. To see it:');
        panel.append(
          element('pre', {},
            `flotilla explain ${folder()} --phone ${number} --html phone-${number}.html`));
      } else if (data.day) await load();
      else showDay(days.get(number));
    };
    const showArea = (cell) => {
      panel.replaceChildren(element('p', {}, cell
        ? `${cell.fresh} of ${cell.phones} phones of this area are fresh at ${instant.value}.`
        : 'No phone is in this area.'));
    };
    map.on('click', (event) => {
      const scale = 2 ** map.getZoom();
      const place = map.project(event.latlng);
      if (self.mode === 'area') {
        const [x, y] = [place.x / scale, place.y / scale];
        showArea(self.cells.find((cell) => x >= cell.low[0] && x < cell.high[0]
          && y <= cell.low[1] && y > cell.high[1]));
        return;
      }
      let best = [14, -1];
      for (let phone = 0; phone < n; phone++) {
        if (!isShown(phone)) continue;
        const [x, y] = point(phone);
        // One whose day is here is preferred where several lie on top of each other.
        const distance = Math.hypot(x * scale - place.x, y * scale - place.y)
          - (days.has(sample.phones[phone]) ? 3 : 0);
        if (distance < best[0]) best = [distance, phone];
      }
      open(best[1]);
    });
    choose.addEventListener('change', () => {
      if (choose.value === '') return;
      open(sample.phones.indexOf(Number(choose.value))).then(() => { if (shownDay) fitDay(); });
    });

    // MARK: Legend and instants

    const words = (name) => name.replaceAll('-', ' ');
    const key = (id, ink, name) => {
      const made = element('button', { type: 'button' }, swatch(ink), `${name} `, element('b', {}));
      made.addEventListener('click', () => {
        if (!self.hidden.delete(id)) self.hidden.add(id);
        refresh();
      });
      return made;
    };
    let keys = [];
    const showLegend = () => {
      if (self.mode === 'area') {
        keys = [];
        legend.replaceChildren(...shareInks.map((ink, i) =>
          element('span', { class: 'key' }, swatch(ink), `${i * 20} to ${i * 20 + 20} % fresh`)));
        return;
      }
      const totals = new Map();
      const group = groups[self.mode];
      for (let phone = 0; phone < n; phone++) {
        const id = group ? group.of(phone) : shown().state[phone];
        totals.set(id, (totals.get(id) ?? 0) + 1);
      }
      const all = group
        ? group.names.map((name, i) => [i, groupInks[i % groupInks.length], name])
        : [...everState].sort((a, b) => a - b)
          .map((state) => [state, data.inks[state], words(sample.states[state])]);
      const ids = all.map(([number]) => `${self.mode} ${number}`);
      // The buttons stay while only their numbers change.
      if (ids.join() !== keys.join()) {
        legend.replaceChildren(...all.map(([, ink, name], i) => key(ids[i], ink, name)));
      }
      keys = ids;
      all.forEach(([number], i) => {
        const button = legend.children[i];
        button.setAttribute('aria-pressed', String(!self.hidden.has(ids[i])));
        button.querySelector('b').textContent = String(totals.get(number) ?? 0);
      });
    };
    const refresh = () => {
      instant.value = forms.clock(shown().at - data.midnight);
      slider.setAttribute('aria-valuetext', instant.value);
      self.cells = self.mode === 'area' ? squares() : [];
      showLegend();
      showFacts();
      groundLayer.redraw();
      layer.redraw();
    };
    const show = (i, marksCharts) => {
      self.instant = i;
      slider.value = i;
      refresh();
      if (!marksCharts) return;
      const x = shown().at - data.midnight;
      Flotilla.charts.filter((chart) => chart.clock).forEach((chart) => chart.point(x));
    };
    slider.addEventListener('input', () => show(Number(slider.value), true));
    ground.addEventListener('change', () => groundLayer.redraw());
    let timer = 0;
    const stop = () => {
      clearInterval(timer);
      timer = 0;
      play.textContent = 'Play';
    };
    play.addEventListener('click', () => {
      if (timer) return stop();
      play.textContent = 'Pause';
      if (self.instant === lastFrame()) show(0, true);
      timer = setInterval(() => {
        if (self.instant === lastFrame()) return stop();
        return show(self.instant + 1, true);
      }, 400);
      return undefined;
    });
    // A new instant of a run that goes on: shown unless an earlier one is.
    const add = ({ number, at, changed, rests: places }, isKept) => {
      if (number < kept) return;
      const follows = self.instant === lastFrame();
      frames.length = kept;
      const frame = addFrame(at);
      for (let i = 0, phone = 0; i < changed.length; i += 5) {
        phone += changed[i];
        put(frame, phone, ...changed.slice(i + 1, i + 5));
        everState.add(changed[i + 3]);
      }
      for (let i = 0; i < places.length; i += 3) {
        rests[places[i]].push(...placesOf(places.slice(i + 1, i + 3)));
      }
      if (isKept) kept += 1;
      slider.max = lastFrame();
      // Values that change each second are not read out.
      panel.setAttribute('aria-live', 'off');
      if (follows) show(lastFrame(), false); else groundLayer.redraw();
      const isInUse = panel.matches(':hover') || panel.contains(document.activeElement);
      const isDue = data.daysGrow && (isKept || Date.now() - loadedAt > 5000);
      if (self.selected >= 0 && shownDay && isDue && !isInUse) load();
    };
    show(lastFrame(), false);
    const redraw = () => { groundLayer.redraw(); layer.redraw(); told.redraw(); };
    const clickPoint = (phone) => {
      const [x, y] = point(phone);
      return map.latLngToContainerPoint(earth.pointToLatLng(L.point(x, y), 0));
    };
    return { map, redraw, show, open, add, frames, sample, self, clickPoint };
  };

  const begin = (root, data) => {
    Flotilla.places = (root.classList.contains('day') ? onePhone : phones)(root, data);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      Flotilla.places.redraw();
    });
    return Flotilla.places;
  };
  const start = () => {
    const script = document.getElementById('places-data');
    const root = document.querySelector('.places');
    if (script && root) begin(root, JSON.parse(script.textContent));
  };
  document.addEventListener('DOMContentLoaded', start);
  Flotilla.showPlaces = begin;
})();
