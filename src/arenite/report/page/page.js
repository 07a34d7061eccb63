// Charts, what is shown under the pointer and at the focus, the arrow keys, light and dark.
const read = (id) => JSON.parse(document.getElementById(id).textContent);
const tip = document.getElementById("tip");

// -- the tip: rows of text, never HTML ----------------------------------------------

function show(rows, x, y) {
  const list = document.createElement("dl");
  for (const [name, value] of Object.entries(JSON.parse(rows))) {
    list.append(made("dt", name), made("dd", value));
  }
  tip.replaceChildren(list);
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const right = x + 14 + box.width > innerWidth ? x - 14 - box.width : x + 14;
  const below = y + 14 + box.height > innerHeight ? y - 14 - box.height : y + 14;
  tip.style.left = `${Math.min(Math.max(right, 8), Math.max(innerWidth - box.width - 8, 8))}px`;
  tip.style.top = `${Math.min(Math.max(below, 8), Math.max(innerHeight - box.height - 8, 8))}px`;
}

function made(name, text) {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
}

// The mark that has the focus and its rows, while they are shown: they go along when the page moves.
let beside = null;

function showBeside(element, rows) {
  const box = element.getBoundingClientRect();
  show(rows, box.left + box.width / 2, box.top + box.height / 2);
  beside = [element, rows];
}

function hide() {
  tip.hidden = true;
  beside = null;
}

addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
addEventListener("scroll", () => (beside ? showBeside(...beside) : hide()), { passive: true });

// -- arrow keys ---------------------------------------------------------------------

const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, PageDown: 10, PageUp: -10 };

// Arrow keys in `box` go from one of `marks()` to the next; each says what it is when it has focus.
function withKeys(box, marks, rowsOf) {
  box.addEventListener("keydown", (event) => {
    const all = marks();
    const here = all.indexOf(document.activeElement);
    let next = null;
    if (event.key in STEPS) next = here < 0 ? 0 : here + STEPS[event.key];
    if (event.key === "Home") next = 0;
    if (event.key === "End") next = all.length - 1;
    if (next === null || !all.length) return;
    event.preventDefault();
    const mark = all[Math.min(Math.max(next, 0), all.length - 1)];
    mark.setAttribute("tabindex", "-1");
    mark.focus({ preventScroll: true });
    mark.scrollIntoView({ block: "nearest" });
    showBeside(mark, rowsOf(mark));
  });
  box.addEventListener("focusout", hide);
}

// -- charts -------------------------------------------------------------------------

async function draw(box, spec) {
  if (!spec) { // the top of the page says why
    box.replaceWith(made("p", "This chart is missing; the tables have its figures."));
    return;
  }
  const runtime = vega.parse(spec, null, { ast: true });
  const view = new vega.View(runtime, { expr: vega.expr, renderer: "svg", container: box });
  view.tooltip((handler, event, item, rows) => (rows ? show(rows, event.clientX, event.clientY) : hide()));
  withKeys(box, () => [...box.querySelectorAll(".facts_marks > path")], (mark) => mark.__data__.tooltip);
  await view.runAsync();
  addEventListener("beforeprint", () => view.resize().run());
}

// -- the graph ----------------------------------------------------------------------

function light(row) {
  const graph = row.closest(".graph");
  for (const path of graph.querySelectorAll(".lit")) path.classList.remove("lit");
  const own = new Set([...row.querySelectorAll("path")].map((path) => path.dataset.tensor));
  const passing = [...row.querySelectorAll("path.by")].map((path) => path.dataset.tensor);
  for (const tensor of passing) own.delete(tensor);
  for (const path of graph.querySelectorAll("path")) {
    if (own.has(path.dataset.tensor)) path.classList.add("lit");
  }
}

for (const graph of document.querySelectorAll(".graph")) {
  const rows = [...graph.children];
  withKeys(graph, () => rows, (row) => row.dataset.tip);
  for (const row of rows) {
    row.addEventListener("pointermove", (event) => show(row.dataset.tip, event.clientX, event.clientY));
    row.addEventListener("pointerenter", () => light(row));
    row.addEventListener("focus", () => light(row));
    row.addEventListener("pointerleave", hide);
  }
}

// -- light and dark, paper ----------------------------------------------------------

const root = document.documentElement;
const wants = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : wants.matches);
const toggle = document.getElementById("theme");
function name() {
  toggle.textContent = isDark() ? "Light" : "Dark";
  toggle.setAttribute("aria-label", `${toggle.textContent} colours`);
}
toggle.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; name(); });
wants.addEventListener("change", name);
toggle.hidden = false;
name();

let closed = [];
addEventListener("beforeprint", () => {
  closed = [...document.querySelectorAll("details:not([open])")];
  for (const one of closed) one.open = true;
});
addEventListener("afterprint", () => { for (const one of closed) one.open = false; });

const specs = read("charts");
const boxes = [...document.querySelectorAll("[data-chart]")];
Promise.all(boxes.map((box) => draw(box, specs[box.dataset.chart]))).then(() => {
  root.dataset.drawn = String(boxes.length);
});
