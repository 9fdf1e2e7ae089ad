"""An answer that a language model writes from what is in memory, and that is checked.

    gather → read → check (→ gather again → read → check) → thought

- The model sees the question and the sections that were gathered for it, fenced as data, and
  nothing else; it has no tools. All that can come of what it says is a text, and one more question
  to the same store under the same limits.
- Each sentence has to name its sources and quote them. A sentence whose source was not given, or
  does not have the words, is marked as not supported; an answer in which none is supported is not
  served as one.
- It grades itself. If that is bad, what it would look for next is gathered once, and it writes
  anew from all of it: two calls at most (``MOST_CALLS``).
- Whatever fails, or takes longer than the time-box, costs the written answer and no more: the
  thought is then what was gathered, and why.

prompt.py       what it is asked
sources.py      what it is shown, under which numbers
stream.py       the objects in what it says, as they come
checking.py     whether a sentence is borne out
thought.py      what comes of it
thinking.py     the way through all of these
"""
