import type { Placement } from "./api";

export interface Geometry {
  top: number;        // px of the first visible minute
  left: number;
  pxPerMinute: number;
  columnWidth: number;
  firstMinute: number;
  days: string[];
}

export interface Drag {
  item: Placement;
  grabOffset: number; // px from the top edge of the card
  copy: boolean;
}

const SNAP_COARSE = 15;
const SNAP_FINE = 5;
const DEAD_ZONE = 6;

export function beginDrag(item: Placement, cardTop: number, ev: PointerEvent): Drag | null {
  if (item.pinned || ev.button !== 0) return null;
  return { item, grabOffset: ev.clientY - cardTop, copy: ev.altKey };
}

export function movedEnough(x0: number, y0: number, ev: PointerEvent): boolean {
  return Math.hypot(ev.clientX - x0, ev.clientY - y0) > DEAD_ZONE;
}

export function dropTarget(g: Geometry, d: Drag, ev: PointerEvent) {
  const col = Math.floor((ev.clientX - g.left) / g.columnWidth);
  if (col < 0 || col >= g.days.length) return null;
  const raw = g.firstMinute + (ev.clientY - d.grabOffset - g.top) / g.pxPerMinute;
  const snap = ev.shiftKey ? SNAP_FINE : SNAP_COARSE;
  const start = Math.max(0, Math.round(raw / snap) * snap);
  const length = d.item.end - d.item.start;
  return { day: g.days[col], start, end: start + length };
}

export function clashesAt(items: Placement[], d: Drag, t: { day: string; start: number; end: number }) {
  return items.filter(
    (p) =>
      p.key !== d.item.key &&
      p.day === t.day &&
      p.start < t.end &&
      t.start < p.end &&
      (p.room === d.item.room || p.people.some((w) => d.item.people.includes(w))),
  );
}

export function ghostClass(clashes: Placement[]): string {
  if (clashes.length === 0) return "ghost ok";
  return clashes.some((c) => c.pinned) ? "ghost forbidden" : "ghost warn";
}

/** Lay overlapping cards side by side in one column. */
export function lanes(items: Placement[]): Map<string, { lane: number; of: number }> {
  const out = new Map<string, { lane: number; of: number }>();
  const sorted = [...items].sort((a, b) => a.start - b.start || b.end - a.end);
  let cluster: Placement[] = [];
  let clusterEnd = -1;
  const flush = () => {
    const ends: number[] = [];
    const where = new Map<string, number>();
    for (const p of cluster) {
      let lane = ends.findIndex((e) => e <= p.start);
      if (lane < 0) lane = ends.push(0) - 1;
      ends[lane] = p.end;
      where.set(p.key, lane);
    }
    for (const [k, lane] of where) out.set(k, { lane, of: ends.length });
    cluster = [];
  };
  for (const p of sorted) {
    if (p.start >= clusterEnd) {
      flush();
      clusterEnd = p.end;
    }
    cluster.push(p);
    clusterEnd = Math.max(clusterEnd, p.end);
  }
  flush();
  return out;
}

export function autoScroll(el: HTMLElement, y: number) {
  const r = el.getBoundingClientRect();
  const edge = 48;
  if (y < r.top + edge) el.scrollTop -= 14;
  else if (y > r.bottom - edge) el.scrollTop += 14;
}
