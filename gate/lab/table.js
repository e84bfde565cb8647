// The decision table. Each change is sent to the kernel at once; what the kernel has saved comes back as `state`.
// A field that waits for its answer keeps what was typed, so that nothing is overwritten under the reader's hands.

const element = (tag, className, ...children) => {
  const made = document.createElement(tag);
  made.className = className;
  made.append(...children);
  return made;
};

// JupyterLab reads single keys as commands (d d deletes the cell) unless the focused element itself says not to.
const keepKeys = (control) => {
  control.dataset.lmSuppressShortcuts = "true";
  return control;
};

const button = (label, onClick) => {
  const made = keepKeys(element("button", "gate-button", label));
  made.type = "button";
  made.addEventListener("click", onClick);
  return made;
};

// One line that grows with its text: Enter ends it, it does not begin another.
const textField = (label, placeholder, maxLength) => {
  const made = keepKeys(element("textarea", "gate-field"));
  Object.assign(made, { rows: 1, maxLength, placeholder, autocomplete: "off" });
  made.setAttribute("aria-label", label);
  made.addEventListener("keydown", (event) => event.key === "Enter" && event.preventDefault());
  return made;
};

const selectField = (label, choices) => {
  const made = keepKeys(element("select", "gate-field"));
  made.setAttribute("aria-label", label);
  made.append(new Option("decide …", ""), ...choices.map((choice) => new Option(choice.label, choice.id)));
  return made;
};

const headCell = (tag, scope, text) => {
  const made = element(tag, "", text);
  made.scope = scope;
  return made;
};

const TYPING_PAUSE = 300; // a reason is sent this long after the last key, and always when the field is left
const PATIENCE = 3000; // after this the reader is told that the kernel has not answered

function render({ model, el }) {
  const sheet = model.get("fixed");
  const fields = new Map(); // "row-1/choice" -> its control
  const waiting = new Map(); // "row-1/choice" -> the value that is not saved yet
  const typing = new Map(); // "row-1/reason" -> the timer that will send it
  let patience = 0;

  const send = (message) => {
    clearTimeout(patience);
    patience = setTimeout(draw, PATIENCE, true);
    model.send(message);
  };

  const sendField = (key) => {
    clearTimeout(typing.get(key));
    typing.delete(key);
    const [row, part] = key.split("/");
    send({ do: "choose", row, [part]: fields.get(key).value });
  };

  const changed = (key, pause) => {
    waiting.set(key, fields.get(key).value);
    clearTimeout(typing.get(key));
    if (pause) typing.set(key, setTimeout(sendField, pause, key));
    else sendField(key);
    draw();
  };

  const sendAll = () => [...typing.keys()].forEach(sendField);

  const rowOf = (row, index) => {
    const name = `row ${index + 1}, ${row.title}`;
    const choice = selectField(`Choice for ${name}`, sheet.choices);
    const reason = textField(`Reason for ${name}`, "because …", sheet.max_reason);
    fields.set(`${row.id}/choice`, choice).set(`${row.id}/reason`, reason);
    choice.addEventListener("change", () => changed(`${row.id}/choice`, 0));
    reason.addEventListener("input", () => changed(`${row.id}/reason`, TYPING_PAUSE));
    reason.addEventListener("change", () => typing.has(`${row.id}/reason`) && sendField(`${row.id}/reason`));
    const head = headCell("th", "row", row.id);
    head.append(element("span", "gate-row-title", row.title));
    const given = element("td", "gate-given", element("span", "gate-tool", row.tool), element("code", "", row.given));
    const made = element("tr", "", head, given, element("td", "gate-choice", choice), element("td", "gate-reason", reason));
    made.dataset.row = row.id;
    return made;
  };

  const rows = sheet.rows.map(rowOf);
  const heads = ["Row", "Given", "Choice", "Reason"].map((text) => headCell("th", "col", text));
  const caption = element("caption", "", element("strong", "", sheet.title), ` ${sheet.question}`);
  const grid = element("table", "", caption, element("thead", "", element("tr", "", ...heads)), element("tbody", "", ...rows));
  const meanings = element("p", "gate-meanings");
  sheet.choices.forEach((choice) => {
    meanings.append(element("span", "", element("strong", "", choice.label), `: ${choice.means}`));
  });

  const freeze = button("Freeze", () => {
    sendAll();
    send({ do: "freeze" });
  });
  const why = textField("Reason to unfreeze", "what changed your mind?", sheet.max_reason);
  const unfreeze = button("Unfreeze", () => send({ do: "unfreeze", reason: why.value }));
  const locked = element("span", "gate-locked", why, unfreeze);
  const status = element("span", "gate-status");
  status.setAttribute("role", "status");
  const notes = element("div", "gate-notes");
  notes.setAttribute("role", "status");
  const foot = element("div", "gate-foot", freeze, locked, status);
  el.append(element("section", "gate-lab gate-table", grid, meanings, foot, notes));

  const say = (target, text) => {
    if (target.textContent !== text) target.textContent = text; // unchanged text is not read aloud again
    target.hidden = text === "";
  };

  const statusText = (state, late) => {
    if (waiting.size && late) return "Not saved yet: the kernel is busy, or was stopped. After a restart, run this cell again.";
    if (waiting.size) return "Saving …";
    if (state.frozen) return `${state.status}, ${new Date(state.frozen.at).toLocaleString()}`;
    const begun = Object.values(state.rows).some((row) => row.choice || row.reason);
    return begun && state.saved ? `${state.status}. Saved.` : state.status;
  };

  const draw = (late = false) => {
    const state = model.get("state");
    const frozen = state.frozen != null; // not `!== null`: a Python in the browser sends undefined
    for (const [key, control] of fields) {
      const [row, part] = key.split("/");
      const saved = state.rows[row][part];
      if (!waiting.has(key) && control.value !== saved) control.value = saved;
      control.disabled = frozen;
    }
    rows.forEach((row) => row.toggleAttribute("data-open", state.missing.includes(row.dataset.row)));
    const hadFocus = document.activeElement;
    freeze.hidden = frozen;
    locked.hidden = !frozen;
    if (hadFocus === freeze && frozen) why.focus();
    if ((hadFocus === unfreeze || hadFocus === why) && !frozen) freeze.focus();
    say(status, statusText(state, late));
    say(notes, [state.refused, ...state.notes].filter(Boolean).join(" "));
  };

  const answered = () => {
    clearTimeout(patience);
    const state = model.get("state");
    for (const [key, value] of waiting) {
      const [row, part] = key.split("/");
      if (state.refused || state.rows[row][part] === value) waiting.delete(key);
    }
    if (state.frozen == null && !state.refused) why.value = "";
    draw();
  };

  model.on("change:state", answered);
  draw();
  return () => {
    sendAll();
    clearTimeout(patience);
    model.off("change:state", answered);
  };
}

export default { render };
