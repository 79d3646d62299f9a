"""Reference policies, training scripts and the language-model harness."""
