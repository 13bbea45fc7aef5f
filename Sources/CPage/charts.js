'use strict';
// Charts of a page. Each `figure` has the data of its chart as JSON beside a static picture; where
// dygraphs is in the page, the picture is replaced by a chart with a cursor and zoom. Charts over
// the time of day, and panels over another axis, share both.
const Flotilla = (() => {
  const style = (name) =>
    getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  const significant = (value, digits) =>
    value.toLocaleString('en-US', { maximumSignificantDigits: digits });

  const two = (number) => String(Math.floor(number)).padStart(2, '0');

  // The texts of a value, as the program prints them.
  const forms = {
    plain: (value) => significant(value, 4),
    share: (value) => `${significant(value * 100, 3)} %`,
    time: (value) =>
      value < 1e3 ? `${significant(value, 3)} µs`
        : value < 1e6 ? `${significant(value / 1e3, 3)} ms` : `${significant(value / 1e6, 3)} s`,
    seconds: (value) =>
      value < 120 ? `${significant(value, 3)} s`
        : value < 7200 ? `${significant(value / 60, 3)} min`
          : value < 172800 ? `${significant(value / 3600, 3)} h`
            : `${significant(value / 86400, 3)} d`,
    nines: (value) => `${significant((1 - 1 / Math.max(value, 1)) * 100, 6)} %`,
    clock: (value) => {
      const day = Math.floor(value / 86400);
      const text = `${two((value / 3600) % 24)}:${two((value / 60) % 60)}:${two(value % 60)}`;
      return day > 0 ? `${text} +${day} d` : text;
    },
  };

  const text = (axis, value, unit) => {
    const words = forms[axis.form](value);
    return axis.form === 'plain' && unit ? `${words} ${unit}` : words;
  };

  const element = (name, attributes, ...inside) => {
    const made = document.createElement(name);
    Object.entries(attributes ?? {}).forEach(([key, value]) => made.setAttribute(key, value));
    made.append(...inside);
    return made;
  };

  const svg = (name, attributes, ...inside) => {
    const made = document.createElementNS('http://www.w3.org/2000/svg', name);
    Object.entries(attributes ?? {}).forEach(([key, value]) => made.setAttribute(key, value));
    made.append(...inside);
    return made;
  };

  // The dashes of a curve among others (Palette.swift).
  const dash = (ink) => {
    const words = style(`--${ink}-dash`);
    return words === 'none' || words === '' ? null : words.split(' ').map(Number);
  };

  // How a series looks, for its name.
  const sample = (data, ink) => {
    if (data.stacked) return element('i', { style: `background: var(--${ink})` });
    const pattern = data.series.length > 1 ? dash(ink) : null;
    return svg(
      'svg', { class: 'sample', viewBox: '0 0 30 9', 'aria-hidden': 'true' },
      svg('path', {
        d: 'M0 4.5H30', fill: 'none', 'stroke-width': 2, style: `stroke: var(--${ink})`,
        'stroke-dasharray': pattern ? pattern.join(' ') : 'none',
      }));
  };

  // dygraphs shows the texts of ticks as markup.
  const escaped = (words) => element('p', {}, words).innerHTML;

  // "-" is a gap in a curve; null is an instant at which this curve has no sample.
  const value = (raw) => (raw === '-' ? NaN : raw);
  const row = (raw) => raw.map((one) => (Array.isArray(one) ? one.map(value) : value(one)));

  const charts = [];
  const follows = (chart) => charts.filter(
    (other) => other !== chart && other.group !== null && other.group === chart.group);

  const clockSteps = [
    1, 5, 10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400,
  ];

  // The smallest round step that gives at most the wanted number of ticks.
  const stepOf = (axis, low, high, wanted) => {
    const rough = (high - low) / wanted;
    if (axis.form === 'clock') {
      return clockSteps.find((one) => one >= rough) ?? Math.ceil(rough / 86400) * 86400;
    }
    const power = 10 ** Math.floor(Math.log10(rough));
    return [1, 2, 5, 10].find((one) => one * power >= rough * 0.999999) * power;
  };

  const ticker = (axis, wanted) => (low, high, pixels, options, dygraph, values) => {
    const inside = axis.ticks.filter(([at]) => at >= low && at <= high);
    if (inside.length >= 2) return inside.map(([v, label]) => ({ v, label: escaped(label) }));
    const step = axis.log ? (high - low) / wanted : stepOf(axis, low, high, wanted);
    const first = axis.log ? low + step / 2 : Math.ceil(low / step) * step;
    const ticks = [];
    // Counted: beside a large value a small step may add nothing.
    for (let i = 0; i <= 2 * wanted; i++) {
      const v = first + i * step;
      if (!(v <= high)) break;
      const label = forms[axis.form](v);
      ticks.push({ v, label: axis.form === 'clock' && step >= 60 ? label.slice(0, 5) : label });
    }
    return ticks;
  };

  // Sets the axes of a chart that grows by its rows: as Scale.swift does for one that is complete.
  const fit = (self) => {
    const { x, y } = self.data;
    const values = self.rows.flatMap((at) => at.slice(1)).filter((one) => !Number.isNaN(one));
    const top = values.reduce((a, b) => Math.max(a, b), 0);
    [x.low, x.high] = [self.rows[0][0], self.rows[self.rows.length - 1][0]];
    if (x.high - x.low < 10) x.high = x.low + 10;
    self.all = [x.low, x.high];
    if (y.fit === 'share') {
      [y.low, y.high] = [0, 1];
      y.ticks = [0, 0.25, 0.5, 0.75, 1].map((v) => [v, forms.share(v)]);
    } else if (y.fit === 'powers') {
      const least = values.reduce((a, b) => Math.min(a, b), Infinity);
      const first = Math.floor(Math.log10(Math.max(least, 1)));
      const last = Math.max(first + 1, Math.ceil(Math.log10(Math.max(top, 1))));
      [y.low, y.high] = [10 ** first, 10 ** last];
      y.ticks = Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i))
        .map((v) => [v, forms[y.form](v)]);
    } else {
      const step = stepOf(y, 0, top || 1, 3);
      y.low = 0;
      y.high = Math.max(1, Math.ceil((top / step) * 0.999999)) * step;
      y.ticks = Array.from({ length: Math.round(y.high / step) + 1 }, (_, i) => i * step)
        .map((v) => [v, forms[y.form](v)]);
    }
  };

  // The value of a row on the x axis: as its tick says, where it has one.
  const place = (data, x) => {
    const tick = data.x.form === 'clock' ? undefined : data.x.ticks.find(([at]) => at === x);
    const words = tick ? tick[1] : forms[data.x.form](x);
    const unit = data.x.form === 'plain' ? (data.xUnit ?? '').split(',')[0] : '';
    return unit ? `${unit} ${words}` : words;
  };

  // Draws the points of a scatter chart with their intervals and names, and the line of the front.
  const scatter = (data) => ({ drawingContext: canvas, dygraph, plotArea: area }) => {
    const at = (x, y) => [dygraph.toDomXCoord(x), dygraph.toDomYCoord(y)];
    canvas.save();
    canvas.lineWidth = 1.2;
    canvas.strokeStyle = style('--grey');
    canvas.setLineDash(dash('grey') ?? []);
    canvas.beginPath();
    data.front.forEach(([x, y], i) => {
      // There is nothing between two of its points.
      if (i > 0) canvas.lineTo(...at(x, data.front[i - 1][1]));
      if (i > 0) canvas.lineTo(...at(x, y)); else canvas.moveTo(...at(x, y));
    });
    canvas.stroke();
    canvas.setLineDash([]);
    canvas.lineWidth = 1.6;
    canvas.font = `12px ${style('--font')}`;
    const places = data.rows.map(([x, y]) => at(x, y));
    const bars = data.points.map((point) => [
      ...point.x.map((one) => dygraph.toDomXCoord(one)),
      ...point.y.map((one) => dygraph.toDomYCoord(one)),
    ]);
    const taken = places.flatMap(([x, y], i) => {
      const [left, right, bottom, top] = bars[i];
      return [[x - 6, y - 6, x + 6, y + 6], [left, y - 2, right, y + 2],
        [x - 2, top, x + 2, bottom]];
    });
    const isFree = ([left, top, right, bottom]) =>
      left >= area.x && right <= area.x + area.w && top >= area.y && bottom <= area.y + area.h
      && taken.every((box) => right < box[0] || left > box[2] || bottom < box[1] || top > box[3]);
    data.points.forEach((point, i) => {
      const [x, y] = places[i];
      const ink = style(point.reference ? '--vermilion' : '--blue');
      canvas.strokeStyle = ink;
      canvas.fillStyle = ink;
      const [left, right, bottom, top] = bars[i];
      canvas.beginPath();
      [[left, y, right, y], [x, bottom, x, top], [left, y - 4, left, y + 4],
        [right, y - 4, right, y + 4], [x - 4, bottom, x + 4, bottom], [x - 4, top, x + 4, top],
      ].forEach(([x1, y1, x2, y2]) => { canvas.moveTo(x1, y1); canvas.lineTo(x2, y2); });
      canvas.stroke();
      canvas.beginPath();
      if (point.reference) canvas.rect(x - 5, y - 5, 10, 10);
      else canvas.arc(x, y, 4.5, 0, 2 * Math.PI);
      canvas.fill();
      const width = canvas.measureText(point.name).width;
      // What finds no place is named by the cursor.
      const box = [[x + 8, y - 6], [right + 6, y + 4], [left - 6 - width, y + 4], [x + 8, y + 16],
        [x - 8 - width, y - 6], [x - 8 - width, y + 16], [x - width / 2, top - 6],
        [x - width / 2, bottom + 14], [x + 8, y - 20], [x + 8, y + 30]]
        .map(([x1, y1]) => [x1, y1 - 11, x1 + width, y1 + 3]).find(isFree);
      if (!box) return;
      taken.push(box);
      canvas.fillText(point.name, box[0], box[3] - 3);
    });
    canvas.restore();
  };

  // Writes the name of an area of a stack where it is highest.
  const areaName = ({ drawingContext: canvas, dygraph, points, plotArea: area, setName: name }) => {
    const [low, high] = dygraph.yAxisRange();
    const height = (point) => point.yval / (high - low) * area.h || 0;
    const best = points.reduce((a, b) => (height(b) > height(a) ? b : a), points[0]);
    if (!best || !(height(best) > 16)) return;
    canvas.save();
    canvas.font = `12px ${style('--font')}`;
    const width = canvas.measureText(name).width;
    const x = Math.min(
      Math.max(best.canvasx - width / 2, area.x + 4), area.x + area.w - width - 4);
    const y = best.canvasy + height(best) / 2 + 4;
    canvas.lineWidth = 3;
    canvas.strokeStyle = style('--paper');
    canvas.strokeText(name, x, y);
    canvas.fillStyle = style('--text');
    canvas.fillText(name, x, y);
    canvas.restore();
  };

  // Replaces the picture of a figure; `data` is described in ChartData.swift.
  const chart = (figure, data) => {
    const isPanel = figure.classList.contains('panel');
    const plot = element('div', {
      class: 'plot', tabindex: '0', role: 'application', 'aria-roledescription': 'chart',
      'aria-label': `${data.title}. Arrow keys move the cursor, + and - zoom, 0 shows all.`,
    });
    const readout = element('div', { class: 'readout' });
    const spoken = element('div', { class: 'spoken', 'aria-live': 'polite' });
    const instant = element('span', { class: 'instant' });
    readout.append(element('span', { class: 'unit' }, data.unit));
    const values = (data.points ? [null] : data.series).map((series) => {
      const shown = element('span', { class: 'value' });
      const key = series ? [sample(data, series.ink), series.name, ' '] : [];
      readout.append(element('span', { class: 'key' }, ...key, shown));
      return shown;
    });
    readout.append(instant);
    figure.prepend(readout, plot, spoken);
    if (!isPanel && data.xUnit) plot.after(element('div', { class: 'x-unit' }, data.xUnit));
    figure.classList.add('drawn');

    const isClock = data.x.form === 'clock';
    const group = isClock ? 'clock' : isPanel ? figure.closest('.panels') : null;
    const self = { figure, data, clock: isClock, group, rows: data.rows.map(row) };
    const inks = () => data.series.map((series) => style(`--${series.ink}`));
    const underlay = (canvas, area, dygraph) => {
      canvas.save();
      canvas.font = `12px ${style('--font')}`;
      for (const [from, to, words] of data.spans ?? []) {
        const left = Math.max(dygraph.toDomXCoord(from), area.x);
        const right = Math.min(dygraph.toDomXCoord(to), area.x + area.w);
        if (right <= left) continue;
        canvas.fillStyle = style('--vermilion');
        canvas.globalAlpha = 0.14;
        canvas.fillRect(left, area.y, right - left, area.h);
        canvas.globalAlpha = 1;
        if (!isPanel && words) canvas.fillText(words, left + 3, area.y + 12);
      }
      canvas.fillStyle = style('--quiet');
      canvas.strokeStyle = style('--grey');
      canvas.setLineDash([4, 4]);
      for (const [at, words] of data.marks ?? []) {
        const x = dygraph.toDomXCoord(at);
        if (x < area.x || x > area.x + area.w) continue;
        canvas.beginPath();
        canvas.moveTo(x, area.y);
        canvas.lineTo(x, area.y + area.h);
        canvas.stroke();
        if (!isPanel && words) canvas.fillText(words, x + 4, area.y + 12);
      }
      canvas.restore();
    };
    const show = (index) => {
      const at = self.rows[index];
      if (!at) return;
      const point = data.points?.[index];
      instant.textContent = point ? point.name : place(data, at[0]);
      if (point) values[0].textContent = point.text;
      const words = point ? [point.text] : data.series.map((series, i) => {
        const raw = Array.isArray(at[i + 1]) ? at[i + 1][1] : at[i + 1];
        const shown = raw === null || Number.isNaN(raw) ? '–' : text(data.y, raw, data.valueUnit);
        values[i].textContent = shown;
        return `${series.name} ${shown}`;
      });
      self.spoken = `${instant.textContent}: ${words.join(', ')}`;
    };
    const clear = () => {
      instant.textContent = '';
      values.forEach((shown) => { shown.textContent = ''; });
    };
    const select = (index) => {
      self.dygraph.setSelection(index);
      show(index);
    };
    // The row at or before an instant of the x axis.
    self.find = (x) => {
      let [low, high] = [0, self.rows.length - 1];
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (self.rows[middle][0] <= x) low = middle; else high = middle - 1;
      }
      return low;
    };
    self.point = (x) => select(self.find(x));
    self.leave = () => { self.dygraph.clearSelection(); clear(); };
    self.window = (range) => {
      self.dygraph.updateOptions({ dateWindow: range ?? self.all });
    };
    if (data.y.fit) fit(self); else self.all = [data.x.low, data.x.high];
    const range = () => (data.y.log && !data.y.fit ? undefined : [data.y.low, data.y.high]);
    // Adds rows to a chart that grows; a zoom stays.
    self.append = (rows, replaces) => {
      const [low, high] = self.dygraph.xAxisRange();
      const isWhole = low <= self.all[0] && high >= self.all[1];
      if (replaces) self.rows = rows; else self.rows.push(...rows);
      fit(self);
      self.dygraph.updateOptions({
        file: self.rows, valueRange: range(), dateWindow: isWhole ? self.all : [low, high],
      });
    };
    const hasAxis = () => !isPanel || figure.classList.contains('last');
    // Follows a change of which panel is the last.
    self.axes = () => {
      self.dygraph.updateOptions({ axes: { x: { drawAxis: hasAxis() } } });
      self.dygraph.resize();
    };

    const series = {};
    data.series.forEach((one) => {
      if (data.series.length < 2 || data.stacked) return;
      series[one.name] = { strokePattern: dash(one.ink) };
    });
    const { fillPlotter, errorPlotter, linePlotter } = Dygraph.Plotters;
    const plotter = data.points ? scatter(data)
      : data.stacked ? [fillPlotter, linePlotter, areaName]
        : [fillPlotter, errorPlotter, linePlotter];
    self.dygraph = new Dygraph(plot, self.rows, {
      labels: ['x', ...data.series.map((one) => one.name)],
      colors: inks(), series, plotter,
      customBars: data.bands === true, fillAlpha: data.stacked ? 0.9 : 0.18,
      stackedGraph: data.stacked === true, connectSeparatedPoints: true,
      strokeWidth: data.stacked ? 1 : 2, highlightCircleSize: data.points ? 8 : 3, fillGraph: false,
      highlightSeriesOpts: data.points ? {} : null, highlightSeriesBackgroundAlpha: 1,
      legend: 'never', dateWindow: self.all, valueRange: range(),
      logscale: data.y.log, rightGap: 8, axisLabelFontSize: 12,
      axisLineColor: 'transparent', gridLineColor: style('--grid'),
      underlayCallback: underlay,
      axes: {
        x: {
          // Below the first text of the other axis.
          axisTickSize: 8,
          drawGrid: false, logscale: data.x.log, ticker: ticker(data.x, isPanel ? 6 : 8),
          drawAxis: hasAxis(),
        },
        y: {
          axisLabelWidth: 64,
          ticker: (low, high, ...rest) => ticker(data.y, 4)(low, high, ...rest),
        },
      },
      highlightCallback: (event, x, points, index) => {
        show(index);
        follows(self).forEach((other) => other.point(x));
      },
      unhighlightCallback: () => {
        clear();
        follows(self).forEach((other) => other.leave());
      },
      zoomCallback: (low, high) => {
        follows(self).forEach((other) => other.window([low, high]));
      },
    });
    // A double click shows all: of every chart that shares the axis.
    plot.addEventListener('dblclick', () => {
      [self, ...follows(self)].forEach((one) => one.window());
    });
    plot.addEventListener('keydown', (event) => {
      // The browser has its own zoom and its own way back.
      if (event.ctrlKey || event.metaKey || event.altKey || !self.rows.length) return;
      const last = self.rows.length - 1;
      const now = Math.min(self.dygraph.getSelection(), last);
      const move = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: last }[event.key];
      if (move !== undefined) {
        const index = Math.min(Math.max(move, 0), last);
        select(index);
        follows(self).forEach((other) => other.point(self.rows[index][0]));
        spoken.textContent = self.spoken;
      } else if (['+', '-', '0'].includes(event.key)) {
        const [low, high] = self.dygraph.xAxisRange();
        const [first, end] = self.all;
        const wanted = now >= 0 ? self.rows[now][0] : (low + high) / 2;
        const middle = Math.min(Math.max(wanted, first), end);
        const half = Math.max(
          (high - low) / 2 * (event.key === '+' ? 0.5 : 2), (end - first) / 1e9);
        const range = event.key === '0'
          ? undefined : [Math.max(first, middle - half), Math.min(end, middle + half)];
        [self, ...follows(self)].forEach((one) => one.window(range));
      } else {
        return;
      }
      event.preventDefault();
    });
    self.recolour = () => {
      self.dygraph.updateOptions({ colors: inks(), gridLineColor: style('--grid') });
    };
    charts.push(self);
    return self;
  };

  const start = () => {
    for (const script of document.querySelectorAll('figure > script[type="application/json"]')) {
      if (window.Dygraph) chart(script.parentElement, JSON.parse(script.textContent));
    }
    // A chart in a closed fold has no width until the fold opens.
    document.querySelectorAll('details').forEach((fold) => fold.addEventListener('toggle', () => {
      charts.filter((one) => fold.contains(one.figure)).forEach((one) => one.dygraph.resize());
    }));
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      charts.forEach((one) => one.recolour());
    });
  };

  return { start, chart, charts, element, svg, forms, style };
})();
document.addEventListener('DOMContentLoaded', Flotilla.start);
