"""The room: where each pair of a class stands, from shared folders or pasted codes. Read only, no server, no names."""
