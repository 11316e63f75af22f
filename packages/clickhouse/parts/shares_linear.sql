linear
