import multiprocessing
import os


def square(number):
    return number * number


if __name__ == "__main__":
    for method in ("fork", "spawn", "forkserver"):
        context = multiprocessing.get_context(method)
        with context.Pool(2) as pool:
            print(method, pool.map(square, range(6)))
        process = context.Process(target=os._exit, args=(4,))
        process.start()
        process.join()
        print(process.exitcode)
