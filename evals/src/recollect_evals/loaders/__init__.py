"""Question sets in the shapes that they are published in; a module for each family."""
