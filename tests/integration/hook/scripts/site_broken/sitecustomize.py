raise ValueError("the user's own mistake")
