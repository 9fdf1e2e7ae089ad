import { signal, computed, batch } from "@preact/signals-core";
import { ConflictError, getPlan, movePlacement, type Placement, type PlanDoc } from "./api";

export const plan = signal<PlanDoc | null>(null);
export const filterPerson = signal<string | null>(null);
export const filterRoom = signal<string | null>(null);
export const toast = signal<string>("");

const UNDO_DEPTH = 40;
type Step = { key: string; before: Placement; after: Placement };
const undoStack: Step[] = [];
const redoStack: Step[] = [];

export const visible = computed(() => {
  const p = plan.value;
  if (!p) return [];
  return p.items.filter(
    (i) =>
      (!filterPerson.value || i.people.includes(filterPerson.value)) &&
      (!filterRoom.value || i.room === filterRoom.value),
  );
});

export const rooms = computed(() => [...new Set(plan.value?.items.map((i) => i.room) ?? [])].sort());

function replaceItem(doc: PlanDoc, item: Placement): PlanDoc {
  return { ...doc, items: doc.items.map((i) => (i.key === item.key ? item : i)) };
}

export async function open(id: string) {
  const doc = await getPlan(id);
  batch(() => {
    plan.value = doc;
    undoStack.length = 0;
    redoStack.length = 0;
  });
  remember(id);
}

export async function move(key: string, to: Partial<Placement>, record = true): Promise<boolean> {
  const doc = plan.value;
  const before = doc?.items.find((i) => i.key === key);
  if (!doc || !before) return false;
  const after = { ...before, ...to };
  plan.value = replaceItem(doc, after); // optimistic
  try {
    plan.value = await movePlacement(doc, key, to);
  } catch (e) {
    plan.value = doc;
    if (e instanceof ConflictError) {
      plan.value = await getPlan(doc.id);
      toast.value = "Someone else changed this plan. Loaded theirs, please try again.";
    } else {
      toast.value = (e as Error).message;
    }
    return false;
  }
  if (record) {
    undoStack.push({ key, before, after });
    if (undoStack.length > UNDO_DEPTH) undoStack.shift();
    redoStack.length = 0;
  }
  return true;
}

export async function undo() {
  const s = undoStack.pop();
  if (!s) return;
  if (await move(s.key, { day: s.before.day, start: s.before.start, end: s.before.end, room: s.before.room }, false))
    redoStack.push(s);
}

export async function redo() {
  const s = redoStack.pop();
  if (!s) return;
  if (await move(s.key, s.after, false)) undoStack.push(s);
}

const RECENT = "slotview.recent";

function remember(id: string) {
  try {
    const old: string[] = JSON.parse(localStorage.getItem(RECENT) ?? "[]");
    localStorage.setItem(RECENT, JSON.stringify([id, ...old.filter((x) => x !== id)].slice(0, 8)));
  } catch {
    // private window
  }
}
