const pad = (n: number) => String(n).padStart(2, "0");

export function clock(minute: number, twelve = false): string {
  const m = ((minute % 1440) + 1440) % 1440;
  const h = Math.floor(m / 60);
  if (!twelve) return `${pad(h)}:${pad(m % 60)}`;
  const half = h < 12 ? "am" : "pm";
  return `${h % 12 || 12}:${pad(m % 60)} ${half}`;
}

export function span(start: number, end: number): string {
  const over = end > 1440 ? " (+1)" : "";
  return `${clock(start)}–${clock(end)}${over}`;
}

export function parseClock(text: string): number | null {
  const m = /^\s*(\d{1,2})(?:[:.h]?(\d{2}))?\s*(am|pm)?\s*$/i.exec(text);
  if (!m) return null;
  let h = Number(m[1]);
  const min = Number(m[2] ?? 0);
  if (m[3]) {
    if (h < 1 || h > 12) return null;
    h = (h % 12) + (m[3].toLowerCase() === "pm" ? 12 : 0);
  }
  if (h > 24 || min > 59) return null;
  return h * 60 + min;
}

export function humanLength(minutes: number): string {
  if (minutes < 60) return `${minutes} min`;
  const h = Math.floor(minutes / 60);
  const rest = minutes % 60;
  return rest ? `${h} h ${rest}` : `${h} h`;
}

export function isoWeek(day: string): number {
  const d = new Date(day + "T00:00:00Z");
  const shift = (d.getUTCDay() + 6) % 7;
  d.setUTCDate(d.getUTCDate() - shift + 3);
  const jan4 = new Date(Date.UTC(d.getUTCFullYear(), 0, 4));
  return 1 + Math.round(((d.getTime() - jan4.getTime()) / 864e5 - 3 + ((jan4.getUTCDay() + 6) % 7)) / 7);
}

export function relativeDay(day: string, today: string, locale = "en"): string {
  const diff = Math.round((Date.parse(day) - Date.parse(today)) / 864e5);
  if (Math.abs(diff) <= 6) return new Intl.RelativeTimeFormat(locale, { numeric: "auto" }).format(diff, "day");
  return new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", weekday: "short" }).format(Date.parse(day));
}

export function hueFor(key: string): number {
  let h = 0;
  for (const c of key) h = (h * 31 + c.codePointAt(0)!) % 360;
  // keep away from the red that means clash
  return h < 20 ? h + 20 : h > 345 ? 345 : h;
}
