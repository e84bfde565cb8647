// The clock of a section. It counts here, in the browser, so that a busy kernel does not stop it.
// A button shows its effect at once and sends it with its time; the kernel saves it and answers with the saved state.

const element = (tag, className, ...children) => {
  const made = document.createElement(tag);
  made.className = className;
  made.append(...children);
  return made;
};

const button = (label) => {
  const made = element("button", "gate-button", label);
  made.type = "button";
  made.dataset.lmSuppressShortcuts = "true"; // JupyterLab asks the focused element itself
  return made;
};

const clockTime = (milliseconds) => {
  const seconds = Math.floor(milliseconds / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
};

// `== null` here and below: where Python runs in the browser, its None arrives as undefined.
const spentAt = (state, now) => state.spent + (state.since == null ? 0 : Math.max(0, now - state.since));

// What a button does, as the kernel does it (gate/lab/clock.py): shown until the kernel answers.
const after = (state, action, at) => {
  if (action === "start") {
    return { ...state, spent: state.moved_on ? 0 : state.spent, since: at, moved_on: false };
  }
  return { ...state, spent: spentAt(state, at), since: null, moved_on: action === "move_on" };
};

const LABELS = { ready: "Start", running: "Pause", paused: "Resume", left: "Start again" };

const phaseOf = (state) => {
  if (state.moved_on) return "left";
  if (state.since != null) return "running";
  return state.spent ? "paused" : "ready";
};

const levelOf = (phase, left, planned) => {
  if (phase === "left" || phase === "ready") return "calm";
  if (left <= 0) return "red";
  return left <= planned / 5 ? "amber" : "calm";
};

function render({ model, el }) {
  const plan = model.get("fixed");
  let state = model.get("state");

  const title = element("strong", "gate-clock-title", plan.title);
  const time = element("span", "gate-clock-time");
  time.setAttribute("role", "timer");
  const cap = element("span", "gate-clock-cap");
  const next = element("span", "gate-clock-next", `Next: ${plan.next}`);
  const toggle = button("Start");
  const moveOn = button("We moved on");
  const warning = element("span", "gate-clock-warning");
  warning.setAttribute("role", "status");
  const notes = element("div", "gate-notes");
  const line = element("div", "gate-clock-line", title, time, cap, toggle, moveOn, next);
  const box = element("section", "gate-lab gate-clock", line, warning, notes);
  box.setAttribute("aria-label", `Clock: ${plan.title}`);
  el.append(box);

  const say = (target, text) => {
    if (target.textContent !== text) target.textContent = text; // unchanged text is not read aloud again
  };

  const timeText = (phase, spent, left) => {
    if (phase === "left") return `took ${clockTime(spent)} of ${clockTime(plan.planned)}`;
    return left >= 0 ? `${clockTime(left + 999)} left` : `${clockTime(-left)} over`;
  };

  const capText = (phase, left) => {
    const planned = `hard cap: minute ${plan.end} of ${plan.minutes}`;
    if (phase !== "running") return planned;
    const stop = new Date(Date.now() + left);
    return `${planned}, at ${stop.getHours()}:${String(stop.getMinutes()).padStart(2, "0")}`;
  };

  const WARNINGS = {
    calm: "",
    amber: "Last fifth of this section: finish the check, leave the rest.",
    red: `Time is up: cut discussion, not the tests. Cut first: ${plan.cut_first}.`,
  };

  const tick = () => {
    const spent = spentAt(state, Date.now());
    const left = plan.planned - spent;
    const phase = phaseOf(state);
    const level = levelOf(phase, left, plan.planned);
    box.dataset.level = level;
    box.dataset.phase = phase;
    say(time, timeText(phase, spent, left));
    say(cap, capText(phase, left));
    say(toggle, LABELS[phase]);
    say(warning, WARNINGS[level]);
    moveOn.disabled = phase === "ready" || phase === "left";
    notes.hidden = state.notes.length === 0;
    say(notes, state.notes.join(" "));
  };

  const press = (action) => {
    const at = Date.now();
    state = after(state, action, at);
    tick();
    model.send({ do: action, at });
  };

  toggle.addEventListener("click", () => press(phaseOf(state) === "running" ? "pause" : "start"));
  moveOn.addEventListener("click", () => {
    press("move_on");
    toggle.focus(); // the button that was pressed is disabled now: focus must not fall to the page
  });

  const answered = () => {
    state = model.get("state");
    tick();
  };
  model.on("change:state", answered);
  tick();
  const timer = setInterval(tick, 250);
  return () => {
    clearInterval(timer);
    model.off("change:state", answered);
  };
}

export default { render };
