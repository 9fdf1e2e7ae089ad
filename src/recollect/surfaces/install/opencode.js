// Calls recollect at a prompt, before the context is shortened, and when a session has come to rest.
// Written by `recollect install opencode --hooks`; the same with `--uninstall` takes it out.
import { spawn, spawnSync } from "node:child_process"

const COMMAND = ["@COMMAND@"]
const WAITS = 5000 // milliseconds for an answer to a prompt
const RESTS = 60000 // milliseconds after which a session that is idle is imported

function wordsOf(event) {
  return [...COMMAND.slice(1), event, "--client", "opencode"]
}

function call(event, payload) {
  return new Promise((resolve) => {
    const child = spawn(COMMAND[0], wordsOf(event), { stdio: ["pipe", "pipe", "ignore"] })
    const late = setTimeout(() => done(""), WAITS)
    let said = ""
    function done(text) {
      clearTimeout(late)
      resolve(text)
    }
    child.on("error", () => done(""))
    child.stdin.on("error", () => {})
    child.stdout.on("data", (some) => (said += some))
    child.stdout.on("end", () => done(said))
    child.stdin.end(JSON.stringify(payload))
  })
}

function contextIn(said) {
  try {
    return JSON.parse(said).context || ""
  } catch {
    return ""
  }
}

export const RecollectPlugin = async ({ directory }) => {
  const begun = new Set() // sessions that were made since, and have not been asked anything
  const resting = new Map() // timers, by session

  function awake(session) {
    clearTimeout(resting.get(session))
    resting.delete(session)
  }

  async function ended(session) {
    awake(session)
    await call("session-end", { session_id: session, cwd: directory })
  }

  process.once("exit", () => {
    const [session] = resting.keys() // all are in one file
    if (!session) return
    const input = JSON.stringify({ session_id: session, cwd: directory })
    spawnSync(COMMAND[0], wordsOf("session-end"), { input, timeout: WAITS, stdio: ["pipe", "ignore", "ignore"] })
  })

  return {
    event: async ({ event }) => {
      const told = event.properties || {}
      if (event.type === "session.created" && told.info && !told.info.parentID) begun.add(told.info.id)
      if (event.type === "session.idle") {
        awake(told.sessionID)
        const timer = setTimeout(() => ended(told.sessionID), RESTS)
        timer.unref?.()
        resting.set(told.sessionID, timer)
      }
    },
    "chat.message": async (input, output) => {
      awake(input.sessionID)
      const typed = output.parts.filter((part) => part.type === "text" && !part.synthetic)
      if (!typed.length) return
      const payload = {
        session_id: input.sessionID,
        cwd: directory,
        prompt: typed.map((part) => part.text).join("\n"),
        begins: begun.delete(input.sessionID),
      }
      const text = contextIn(await call("prompt", payload))
      if (!text) return
      const last = typed[typed.length - 1]
      const about = { sessionID: last.sessionID, messageID: last.messageID }
      output.parts.push({ id: `${last.id}recollect`, ...about, type: "text", text, synthetic: true })
    },
    "experimental.session.compacting": async (input) => {
      await call("compact", { session_id: input.sessionID, cwd: directory })
    },
  }
}
