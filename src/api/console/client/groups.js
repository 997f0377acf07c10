/** Sorts trait groups without a request: by dragging their handles, by arrow keys on a handle, and by the arrow buttons. */

import { say } from "./texts.js";

const list = document.getElementById("groups");
const state = document.getElementById("groups-state");
const EDGE_PX = 60;
const STEP_PX = 24;

const titleOf = (group) => group.querySelector("[name=group_name]").value || say("group");

/** Buttons say the position of their group, which the service reads when a group is removed. */
function number() {
  [...list.children].forEach((group, at) => {
    for (const button of group.querySelectorAll("button[name=do]"))
      button.value = `${button.value.split(":")[0]}:${at}`;
  });
}

/** Moves the neighbour around the group, which so keeps the focus and the pointer. */
function move(group, by) {
  const other = by < 0 ? group.previousElementSibling : group.nextElementSibling;
  if (!other) return;
  if (by < 0) group.after(other);
  else group.before(other);
  number();
  announce(group);
}

function announce(group) {
  const groups = [...list.children];
  const position = groups.indexOf(group) + 1;
  state.textContent = say("moved", { group: titleOf(group), position, groups: groups.length });
}

const steps = { ArrowUp: -1, ArrowDown: 1 };

function startDrag(handle, group, pointer) {
  handle.setPointerCapture(pointer);
  group.classList.add("dragged");
  const follow = ({ clientY }) => {
    // Near an edge of the window, the page follows.
    if (clientY < EDGE_PX) scrollBy(0, -STEP_PX);
    if (clientY > innerHeight - EDGE_PX) scrollBy(0, STEP_PX);
    const groups = [...list.children];
    const at = groups.indexOf(group);
    const middle = (other) => {
      const { top, height } = other.getBoundingClientRect();
      return top + height / 2;
    };
    // The nearest first, in both directions.
    for (const other of groups.slice(0, at).reverse()) if (clientY < middle(other)) group.after(other);
    for (const other of groups.slice(at + 1)) if (clientY > middle(other)) group.before(other);
  };
  const end = () => {
    handle.removeEventListener("pointermove", follow);
    group.classList.remove("dragged");
    number();
    announce(group);
  };
  handle.addEventListener("pointermove", follow);
  handle.addEventListener("lostpointercapture", end, { once: true });
}

if (list) {
  for (const group of list.children) {
    const handle = group.querySelector("[data-handle]");
    handle.hidden = false;
    handle.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      handle.focus();
      startDrag(handle, group, event.pointerId);
    });
    handle.addEventListener("keydown", (event) => {
      const by = steps[event.key];
      if (!by) return;
      event.preventDefault();
      move(group, by);
    });
  }
  list.addEventListener("click", (event) => {
    const button = event.target.closest("button[name=do]");
    const by = { up: -1, down: 1 }[button?.value.split(":")[0]];
    if (!by) return;
    event.preventDefault();
    move(button.closest("[data-group]"), by);
  });
}
