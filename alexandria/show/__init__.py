"""Three views of the same values, without arithmetic of their own: `json`, `html`, `terminal`."""
