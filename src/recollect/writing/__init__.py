"""The write path: documents to changes, changes to the store, passages to vectors."""
