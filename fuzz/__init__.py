"""Feed damaged and made-up files to every part of Kinetree that reads one; see docs/explanation/fuzzing.md."""
