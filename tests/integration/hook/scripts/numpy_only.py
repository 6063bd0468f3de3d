import numpy

generator = numpy.random.default_rng(3)
matrix = generator.normal(size=(20, 20))
print(numpy.linalg.eigvalsh(matrix @ matrix.T))
numpy.save("matrix.npy", matrix)
