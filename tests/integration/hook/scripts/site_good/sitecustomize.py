import sys

SEEN = getattr(sys, "seen_sitecustomize", 0) + 1
sys.seen_sitecustomize = SEEN
print("the user's own sitecustomize", SEEN)
