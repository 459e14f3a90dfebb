"""An option, its values, and what users of other libraries write instead."""
