"""Libraries through qdrant-client: on a server, in a folder of its local mode, or in memory."""
