"""What concerns the system: durable files, file names, the cache folder, processors and memory."""
