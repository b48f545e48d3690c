"""A library as a retriever for LangChain, LlamaIndex and Haystack, a module each.

Each module needs its framework (the extra of the same name); nothing else imports it.
"""
