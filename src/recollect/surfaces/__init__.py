"""What people and programs touch. Each parses, calls one method of the facade, renders."""
