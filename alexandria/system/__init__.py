"""What concerns the system: durable files, file names, the cache folder, processors and memory."""

__version__ = "1.0.0"
