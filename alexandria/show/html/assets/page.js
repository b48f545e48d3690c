"use strict";
// Numbers come from the data block, sentences from the page itself; text is only ever read as text.

const byId = (id) => document.getElementById(id);
const ways = JSON.parse(byId("data").textContent).ways;
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const dark = matchMedia("(prefers-color-scheme: dark)");
const pieces = [...document.querySelectorAll(".piece")];
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const decimals = (value) => value.toFixed(3).replace(/^-(0\.0+)$/, "$1");

// --- the text -----------------------------------------------------------------

const allSpans = [...document.querySelectorAll(".words span")];
const allStarts = allSpans.map((span) => Number(span.id.slice(1)));

function spansOf(way, sentence) {
  // Another way may have split the sentence: then it is several spans.
  const end = way.starts[sentence + 1] ?? Infinity;
  const spans = [];
  for (let i = lowest(allStarts, way.starts[sentence]); i < allStarts.length && allStarts[i] < end; i++) {
    spans.push(allSpans[i]);
  }
  return spans;
}

const sentenceOf = (way, sentence) => spansOf(way, sentence).map((span) => span.textContent).join(" ");

function lowest(sorted, minimum) {
  let low = 0, high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < minimum) low = middle + 1; else high = middle;
  }
  return low;
}

function jump(element, { flash = [element], focus = true } = {}) {
  // Pieces get their real height only when they are drawn: repeat for a few frames until the layout is stable.
  const settle = (frames) => {
    element.scrollIntoView({ block: "start" });
    if (frames) requestAnimationFrame(() => settle(frames - 1));
  };
  settle(8);
  if (focus) element.closest(".piece")?.focus({ preventScroll: true });
  for (const target of flash) {
    target.classList.remove("flash");
    void target.offsetWidth; // restarts the animation
    target.classList.add("flash");
    setTimeout(() => target.classList.remove("flash"), 2500);
  }
}

function stepCut(step) {
  const edge = parseFloat(getComputedStyle(pieces[0]).scrollMarginTop);
  const tops = pieces.map((piece) => piece.getBoundingClientRect().top);
  const index = step > 0 ? tops.findIndex((top) => top > edge + 8) : tops.findLastIndex((top) => top < edge - 8);
  const target = pieces[index < 0 ? (step > 0 ? pieces.length - 1 : 0) : index];
  if (target) jump(target, { flash: [] });
}

// --- the curve ----------------------------------------------------------------

const charts = [];
const CROWDED = 800; // gaps: about one per pixel
const isCrowded = ({ scales: { x } }) => x.max - x.min > CROWDED;

function movingMean(values, window) {
  const sums = [0];
  for (const value of values) sums.push(sums.at(-1) + value);
  return values.map((_, i) => {
    const low = Math.max(0, i - (window >> 1)), high = Math.min(values.length, i + (window >> 1) + 1);
    return (sums[high] - sums[low]) / (high - low);
  });
}

class Chart {
  constructor(figure) {
    this.way = ways[Number(figure.dataset.way)];
    this.figure = figure;
    this.canvas = figure.querySelector(".canvas");
    this.cuts = new Map(this.way.cuts.map((cut) => [cut.gap, cut]));
    this.gap = 0;
    this.left = null;
    figure.hidden = false;
    const gaps = this.way.similarities.map((_, gap) => gap);
    const threshold = this.way.similarities.map(() => this.way.threshold);
    this.values = this.way.costs ?? this.way.similarities; // what decides
    this.window = !this.way.costs && gaps.length > CROWDED ? Math.round(gaps.length / 150) : 0; // gaps in the mean: about 150 windows
    const means = this.window ? [movingMean(this.way.similarities, this.window)] : [];
    if (this.window) figure.querySelector(".means").textContent = ` The bold line is the mean of ${this.window} gaps.`;
    this.plot = new uPlot(this.options(), [gaps, this.values, threshold, ...means], this.canvas);
    this.listen();
  }

  options() {
    const grid = { stroke: () => colour("line"), width: 0.3 };
    const axis = { stroke: () => colour("quiet"), grid, ticks: grid, font: "12px system-ui, sans-serif" };
    return {
      width: this.canvas.clientWidth || 300,
      height: 220,
      legend: { show: false },
      cursor: { y: false, drag: { x: true, y: false, dist: 8 }, points: { size: 9, show: (plot, i) => i === 1 && document.createElement("div") }, sync: { key: "gaps" } },
      scales: { x: { time: false } },
      axes: [
        { ...axis, label: "gap", labelSize: 18, size: 36, labelFont: axis.font, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4] },
        { ...axis, size: 44, values: (_, ticks) => ticks.map((tick) => tick.toFixed(this.way.costs ? 0 : 2)) },
      ],
      series: [
        {},
        this.way.costs
          ? { stroke: () => colour("curve"), paths: () => null, points: { show: true, size: 4, fill: () => colour("curve"), filter: () => null } }
          : { stroke: (plot) => colour(isCrowded(plot) ? "faint" : "curve"), width: 1, points: { show: false } },
        { stroke: () => colour("topic"), width: 1.5, dash: [6, 4], points: { show: false } },
        ...(this.window ? [{ stroke: () => colour("ink"), width: 1.5, points: { show: false } }] : []),
      ],
      hooks: { draw: [(plot) => this.drawCuts(plot)], setCursor: [(plot) => this.hover(plot)] },
    };
  }

  drawCuts(plot) {
    const { ctx, bbox } = plot, { min, max } = plot.scales.x, unit = devicePixelRatio;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left - 6 * unit, bbox.top, bbox.width + 12 * unit, bbox.height);
    ctx.clip();
    ctx.setLineDash([]);
    const mark = { topic: "topic", section: "section", max_size: "size", break: "break" };
    const visible = this.way.cuts.filter((cut) => cut.gap >= min && cut.gap <= max);
    // As large as space permits, up to ten pixels.
    const size = Math.min(5, Math.max(1, bbox.width / unit / visible.length / 3)) * unit;
    const foot = bbox.top + bbox.height;
    for (const cut of visible) {
      const x = plot.valToPos(cut.gap, "x", true);
      ctx.fillStyle = ctx.strokeStyle = colour(mark[cut.reason]);
      ctx.beginPath();
      if (cut.reason === "topic") {
        ctx.moveTo(x, foot - 2 * size); ctx.lineTo(x + size, foot); ctx.lineTo(x - size, foot); ctx.fill();
      } else if (cut.reason === "section") {
        ctx.lineWidth = unit; ctx.globalAlpha = size < 5 * unit ? 0.4 : 0.7;
        ctx.moveTo(x, bbox.top); ctx.lineTo(x, foot); ctx.stroke(); ctx.globalAlpha = 1;
      } else if (cut.reason === "break") {
        ctx.moveTo(x, foot - 2 * size); ctx.lineTo(x + size, foot - size); ctx.lineTo(x, foot); ctx.lineTo(x - size, foot - size); ctx.fill();
      } else ctx.fillRect(x - size, foot - 2 * size, 2 * size, 2 * size);
    }
    ctx.fillStyle = colour("ink");
    for (const start of search.starts) {
      const gap = lowest(this.way.starts, start + 1) - 1;
      if (gap >= min && gap <= max) ctx.fillRect(plot.valToPos(gap, "x", true) - unit, bbox.top, 2 * unit, 6 * unit);
    }
    ctx.restore();
  }

  hover(plot) {
    // A zoom moves the curve under a resting cursor: only a moving cursor selects a gap.
    if (plot.cursor.idx == null || plot.cursor.left === this.left) return;
    this.left = plot.cursor.left;
    this.show(plot.cursor.idx);
  }

  show(gap) {
    this.gap = gap;
    const { way, figure } = this, cut = this.cuts.get(gap);
    // At a cut, a strategy may have compared another value than the neighbours' similarity: show both.
    const compared = cut && Math.abs(cut.similarity - way.similarities[gap]) > 2e-6 ? `, compared value ${decimals(cut.similarity)}` : "";
    const threshold = way.costs ? null : cut ? cut.threshold : way.threshold; // costs decide, or the threshold
    const value = cut ? cut.similarity : way.similarities[gap];
    const sign = threshold == null ? "" : ` ${value < threshold ? "<" : "≥"} ${decimals(threshold)}`;
    const cost = way.costs?.[gap];
    const price = way.costs ? (cost == null ? ", may not be cut" : `, cost of a cut ${cost.toFixed(2)}`) : "";
    const text = `gap ${gap}: similarity ${decimals(way.similarities[gap])}${compared}${sign}${price}` +
      (cut ? `, cut: ${cut.reason}, ${cut.why}` : ", not cut");
    figure.querySelector(".numbers").textContent = text;
    figure.querySelector(".before").textContent = sentenceOf(way, gap);
    figure.querySelector(".after").textContent = sentenceOf(way, gap + 1);
    figure.querySelector(".go").hidden = false;
    this.canvas.setAttribute("aria-valuenow", gap);
    this.canvas.setAttribute("aria-valuetext", text);
  }

  point(gap) {
    const { plot } = this, { min, max } = plot.scales.x;
    gap = Math.max(0, Math.min(gap, this.way.similarities.length - 1));
    this.show(gap);
    if (gap < min || gap > max) this.look(gap - (max - min) / 2, gap + (max - min) / 2);
    else this.mark();
  }

  look(min, max) {
    this.plot.setScale("x", { min, max });
    queueMicrotask(() => this.mark()); // the plot applies its new scale in a microtask of its own
  }

  mark() {
    const { plot } = this;
    this.left = Math.round(plot.valToPos(this.gap, "x"));
    plot.setCursor({ left: this.left, top: plot.valToPos(this.values[this.gap] ?? 0, "y") });
  }

  go() {
    const flash = [...spansOf(this.way, this.gap), ...spansOf(this.way, this.gap + 1)];
    const next = spansOf(this.way, this.gap + 1)[0];
    const piece = next.closest(".piece");
    jump(this.cuts.has(this.gap) ? piece : next, { flash });
  }

  zoom(factor) {
    const last = this.way.similarities.length - 1, { min, max } = this.plot.scales.x;
    if (factor === "all") return this.look(0, last);
    const half = Math.max(2, (max - min) * factor / 2);
    const centre = this.gap >= min && this.gap <= max ? this.gap : (min + max) / 2;
    this.look(Math.max(0, centre - half), Math.min(last, centre + half));
  }

  cutFrom(gap, step) {
    const gaps = this.way.cuts.map((cut) => cut.gap);
    return (step > 0 ? gaps.find((other) => other > gap) : gaps.findLast((other) => other < gap)) ?? gap;
  }

  listen() {
    const last = this.way.similarities.length - 1;
    const keys = {
      ArrowLeft: () => this.point(this.gap - 1), ArrowRight: () => this.point(this.gap + 1),
      ArrowDown: () => this.point(this.gap - 1), ArrowUp: () => this.point(this.gap + 1),
      PageDown: () => this.point(this.cutFrom(this.gap, 1)), PageUp: () => this.point(this.cutFrom(this.gap, -1)),
      Home: () => this.point(0), End: () => this.point(last),
      "+": () => this.zoom(0.5), "-": () => this.zoom(2), 0: () => this.zoom("all"), Enter: () => this.go(),
    };
    this.canvas.addEventListener("keydown", (event) => {
      if (!(event.key in keys) || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      keys[event.key]();
    });
    this.canvas.addEventListener("focus", () => this.point(this.gap));
    for (const button of this.figure.querySelectorAll("[data-zoom]")) {
      const by = button.dataset.zoom;
      button.addEventListener("click", () => this.zoom(by === "all" ? by : Number(by)));
    }
    this.figure.querySelector(".go").addEventListener("click", () => this.go());
    // A drag zooms and a click goes to the text; a touch only selects, because it cannot hover.
    let from = null;
    this.plot.over.addEventListener("pointerdown", (event) => { from = event.clientX; });
    const touched = (event) => {
      if (event.pointerType !== "touch") return;
      const left = event.clientX - this.plot.over.getBoundingClientRect().left;
      this.show(Math.max(0, Math.min(Math.round(this.plot.posToVal(left, "x")), last)));
      this.mark();
    };
    this.plot.over.addEventListener("pointerdown", touched);
    this.plot.over.addEventListener("pointermove", touched);
    this.plot.over.addEventListener("click", (event) => {
      if (from === null || Math.abs(event.clientX - from) > 4 || event.pointerType === "touch") return;
      this.go();
    });
    this.plot.over.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      this.zoom(event.deltaY < 0 ? 0.7 : 1.4);
    }, { passive: false });
    new ResizeObserver(() => {
      const width = this.canvas.clientWidth;
      if (width && width !== this.plot.width) this.plot.setSize({ width, height: 220 });
    }).observe(this.canvas);
  }
}

// --- search -------------------------------------------------------------------

const search = {
  starts: [],
  hits: [],
  at: -1,
  lower: null,

  run(query) {
    for (const span of this.hits) span.classList.remove("hit", "here");
    const needle = query.trim().toLocaleLowerCase();
    this.lower ??= allSpans.map((span) => span.textContent.toLocaleLowerCase());
    this.hits = needle ? allSpans.filter((_, i) => this.lower[i].includes(needle)) : [];
    this.starts = this.hits.map((span) => Number(span.id.slice(1)));
    this.at = -1;
    for (const span of this.hits) span.classList.add("hit");
    this.underline(needle);
    this.showCount(needle);
    for (const chart of charts) chart.plot.redraw(false);
  },

  underline(needle) {
    if (!globalThis.Highlight) return;
    const ranges = [];
    for (const span of this.hits) {
      const node = span.firstChild, text = node.data.toLocaleLowerCase();
      if (text.length !== node.data.length) continue; // some letters become two in lower case
      for (let i = text.indexOf(needle); i >= 0; i = text.indexOf(needle, i + needle.length)) {
        const range = new Range();
        range.setStart(node, i);
        range.setEnd(node, i + needle.length);
        ranges.push(range);
      }
    }
    CSS.highlights.set("found", new Highlight(...ranges.slice(0, 5000))); // a call takes only so many arguments
  },

  step(by) {
    if (!this.hits.length) return;
    this.hits[this.at]?.classList.remove("here");
    this.at = (this.at + by + this.hits.length + (this.at < 0 && by < 0 ? 1 : 0)) % this.hits.length;
    this.hits[this.at].classList.add("here");
    jump(this.hits[this.at], { flash: [], focus: false });
    this.showCount(true);
  },

  showCount(needle) {
    const n = this.hits.length;
    byId("hits").textContent = !needle ? "" : !n ? "no sentence contains this"
      : this.at < 0 ? `${n} ${n === 1 ? "sentence" : "sentences"}` : `${this.at + 1} of ${n}`;
  },
};

// --- the page -----------------------------------------------------------------

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  byId("theme").setAttribute("aria-pressed", String(theme === "dark"));
  for (const chart of charts) chart.plot.redraw(false);
}

const isDark = () => (document.documentElement.dataset.theme ?? (dark.matches ? "dark" : "light")) === "dark";
const toggleTheme = () => setTheme(isDark() ? "light" : "dark");

function start() {
  document.querySelector(".tools").hidden = false;
  byId("chapters").open = matchMedia("(min-width: 62rem)").matches;
  byId("theme").setAttribute("aria-pressed", String(isDark()));
  for (const figure of document.querySelectorAll("figure.plot")) {
    if (ways[Number(figure.dataset.way)].similarities.length) charts.push(new Chart(figure));
  }
  byId("theme").addEventListener("click", toggleTheme);
  dark.addEventListener("change", () => { for (const chart of charts) chart.plot.redraw(false); });
  byId("cut-previous").addEventListener("click", () => stepCut(-1));
  byId("cut-next").addEventListener("click", () => stepCut(1));
  byId("help").addEventListener("click", () => byId("keys").showModal());
  let waiting;
  byId("query").addEventListener("input", (event) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => search.run(event.target.value), 150); // once typing pauses
  });
  byId("query").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.shiftKey) { event.preventDefault(); search.step(-1); }
  });
  byId("search").addEventListener("submit", (event) => { event.preventDefault(); search.step(1); });
  byId("hit-previous").addEventListener("click", () => search.step(-1));
  const keys = {
    "/": () => byId("query").focus(), n: () => stepCut(1), p: () => stepCut(-1),
    d: toggleTheme, "?": () => byId("keys").showModal(),
  };
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, dialog");
    if (typing || !byId("single-keys").checked || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });
}

start();
