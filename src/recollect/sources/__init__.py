"""What people and agents have, as documents. A source yields; it never writes."""
