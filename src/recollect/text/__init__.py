"""Pure functions over text: terms, passages, query syntax, token counts, dates. No I/O."""
