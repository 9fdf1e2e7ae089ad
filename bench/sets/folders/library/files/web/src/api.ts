// Thin client for slotd. Everything that talks HTTP is in this file.

export type Placement = {
  key: string;
  day: string; // 2026-03-02
  start: number;
  end: number;
  room: string;
  people: string[];
  pinned: boolean;
};

export type PlanDoc = { id: string; title: string; revision: number; items: Placement[] };

export class ApiError extends Error {
  constructor(public status: number, message: string, public hint?: string) {
    super(message);
  }
}

export class ConflictError extends ApiError {
  constructor(public theirs: number, public mine: number) {
    super(409, `revision ${mine} is old, server has ${theirs}`);
  }
}

const DEFAULT_TIMEOUT = 12_000;
const RETRY_ON = new Set([429, 502, 503, 504]);

let base = "/api/v2";
let token: string | null = null;

export function configure(opts: { base?: string; token?: string | null }) {
  if (opts.base !== undefined) base = opts.base.replace(/\/+$/, "");
  if (opts.token !== undefined) token = opts.token;
}

function headers(extra: Record<string, string> = {}): HeadersInit {
  const h: Record<string, string> = { Accept: "application/json", ...extra };
  if (token) h["X-Slot-Token"] = token;
  return h;
}

function sleep(ms: number) {
  return new Promise((r) => setTimeout(r, ms));
}

async function call<T>(method: string, path: string, body?: unknown, tries = 3): Promise<T> {
  for (let n = 0; ; n++) {
    const ctl = new AbortController();
    const timer = setTimeout(() => ctl.abort(), DEFAULT_TIMEOUT);
    try {
      const res = await fetch(base + path, {
        method,
        headers: headers(body ? { "Content-Type": "application/json" } : {}),
        body: body ? JSON.stringify(body) : undefined,
        signal: ctl.signal,
      });
      if (res.ok) return res.status === 204 ? (undefined as T) : await res.json();
      if (RETRY_ON.has(res.status) && n + 1 < tries && method === "GET") {
        const after = Number(res.headers.get("Retry-After"));
        await sleep(after ? after * 1000 : 300 * 3 ** n);
        continue;
      }
      const err = await res.json().catch(() => ({}));
      if (res.status === 409) throw new ConflictError(err.theirs, err.mine);
      throw new ApiError(res.status, err.error ?? res.statusText, err.hint);
    } finally {
      clearTimeout(timer);
    }
  }
}

export const getPlan = (id: string) => call<PlanDoc>("GET", `/plans/${encodeURIComponent(id)}`);

export function movePlacement(plan: PlanDoc, key: string, to: Partial<Placement>) {
  return call<PlanDoc>("PATCH", `/plans/${plan.id}/items/${encodeURIComponent(key)}`, {
    ifRevision: plan.revision,
    ...to,
  });
}

export async function startSolve(planId: string, seconds?: number): Promise<string> {
  const job = await call<{ job: string }>("POST", `/plans/${planId}/solve`, { seconds });
  return job.job;
}

export async function waitForJob(job: string, onTick?: (share: number) => void): Promise<string> {
  let pause = 400;
  for (;;) {
    const s = await call<{ state: string; share: number }>("GET", `/jobs/${job}`);
    onTick?.(s.share);
    if (s.state !== "queued" && s.state !== "running") return s.state;
    await sleep(pause);
    pause = Math.min(pause * 1.5, 5000);
  }
}

/** Live changes. Falls back to polling when the proxy eats event streams. */
export function follow(planId: string, onChange: (revision: number) => void): () => void {
  let stopped = false;
  let fails = 0;
  let es: EventSource | null = null;
  let poll: ReturnType<typeof setInterval> | null = null;

  const open = () => {
    es = new EventSource(`${base}/plans/${planId}/events`);
    es.onmessage = (e) => {
      fails = 0;
      onChange(Number(e.data));
    };
    es.onerror = () => {
      fails++;
      if (fails >= 4 && !stopped) {
        es?.close();
        poll = setInterval(async () => onChange((await getPlan(planId)).revision), 15_000);
      }
    };
  };
  open();
  return () => {
    stopped = true;
    es?.close();
    if (poll) clearInterval(poll);
  };
}
