"""What the system gives and demands: durable files, file names, the cache folder, processors and memory."""
