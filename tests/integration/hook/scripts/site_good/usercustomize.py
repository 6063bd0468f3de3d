print("usercustomize")
