"""Reference values of queueing models, by ways that share nothing with the Go code:
Markov chains solved as linear systems and matrix exponentials (SciPy), and
Benes' series by convolution on a grid (NumPy).

Written to reference.json by:  python3 reference.py > reference.json
Frozen with: Python 3, numpy, scipy (versions are in the output).
"""
import json
import sys

import numpy
import scipy
from scipy.linalg import expm
from scipy.optimize import brentq

P = [0.5, 0.95, 0.99]
rows = []


def row(model, load, mu, mean, quantiles, loss, tolerance, **more):
    rows.append(dict(model=model, load=load, mu=mu, mean_s=float(mean), p=P,
                     quantiles_s=[float(q) for q in quantiles], loss=float(loss),
                     tolerance=tolerance, **more))


def stationary(q):
    n = len(q)
    a = numpy.vstack([q.T, numpy.ones(n)])
    return numpy.linalg.lstsq(a, numpy.append(numpy.zeros(n), 1), rcond=None)[0]


def phases(alpha, t):
    """mean and quantiles of a phase-type law: entry alpha, generator t"""
    one = numpy.ones(len(t))
    mean = -alpha @ numpy.linalg.solve(t, one)
    tail = lambda x: alpha @ expm(t * x) @ one
    return mean, [brentq(lambda x: tail(x) - (1 - p), 1e-12, 200 * mean, xtol=1e-15, rtol=1e-12) for p in P]


def mmck(load, mu, c, k):
    q = numpy.zeros((k + 1, k + 1))
    for n in range(k):
        q[n, n + 1] = load
        q[n + 1, n] = mu * min(n + 1, c)
    q -= numpy.diag(q.sum(1))
    p = stationary(q)
    # phases: 0 = in service, i = i-th in the waiting line
    t = numpy.zeros((k - c + 1, k - c + 1))
    alpha = numpy.zeros(k - c + 1)
    t[0, 0] = -mu
    for i in range(1, k - c + 1):
        t[i, i], t[i, i - 1] = -c * mu, c * mu
    for n in range(k):
        alpha[max(0, n - c + 1)] += p[n] / (1 - p[k])
    return *phases(alpha, t), p[k]


def wakeup(load, mu, wake, patience, k):
    # states: awake 0..k, asleep k+1..2k+1
    q = numpy.zeros((2 * k + 2, 2 * k + 2))
    for n in range(k + 1):
        if n < k:
            q[n, n + 1] = load
            q[k + 1 + n, k + 2 + n] = load
        if n > 0:
            q[n, n - 1] = mu
            q[k + 1 + n, n] = 1 / wake
    q[0, k + 1] = 1 / patience
    q -= numpy.diag(q.sum(1))
    p = stationary(q)
    full = p[k] + p[2 * k + 1]
    # phases: n in line awake 0..k-1; n in line, server wakes k..2k-1
    t = numpy.zeros((2 * k, 2 * k))
    alpha = numpy.zeros(2 * k)
    for n in range(k):
        t[n, n] = -mu
        if n:
            t[n, n - 1] = mu
        t[k + n, k + n], t[k + n, n] = -1 / wake, 1 / wake
        alpha[n] = p[n] / (1 - full)
        alpha[k + n] = p[k + 1 + n] / (1 - full)
    return *phases(alpha, t), full


def batch(load, mu, size, k):
    """partial acceptance; size: list of probabilities of 1, 2 ..."""
    mean = sum((i + 1) * s for i, s in enumerate(size))
    rate = load / mean
    q = numpy.zeros((k + 1, k + 1))
    for n in range(k + 1):
        for i, s in enumerate(size):
            if n < k:
                q[n, min(n + i + 1, k)] += rate * s
        if n:
            q[n, n - 1] += mu
    q -= numpy.diag(q.sum(1))
    p = stationary(q)
    alpha, lost = numpy.zeros(k), 0
    for n in range(k + 1):
        for i, s in enumerate(size):
            for j in range(i + 1):
                share = p[n] * s / mean
                if n + j < k:
                    alpha[n + j] += share
                else:
                    lost += share
    t = numpy.diag([-mu] * k) + numpy.diag([mu] * (k - 1), -1)
    return *phases(alpha / alpha.sum(), t), lost


def mg1_gamma(load, mu, scv):
    """Benes: W is a geometric number of residual services; all by FFT on a grid"""
    rho, h, n = load / mu, 1 / mu / 400, 1 << 18
    law = scipy.stats.gamma(1 / scv, scale=scv / mu)
    edges = (numpy.arange(n + 1)) * h
    # mass of a cell of the residual law: mu (E min(X, b) - E min(X, a))
    least = scipy.stats.gamma(1 / scv + 1, scale=scv / mu).cdf(edges) / mu + edges * law.sf(edges)
    mass = mu * numpy.diff(least)
    # mass of each cell at its middle: half to each edge
    grid = numpy.zeros(n + 1)
    grid[:-1] += mass / 2
    grid[1:] += mass / 2
    service = numpy.zeros(n + 1)
    cells = numpy.diff(law.cdf(edges))
    service[:-1] += cells / 2
    service[1:] += cells / 2
    size = 1 << 20
    r, s = numpy.fft.rfft(grid, size), numpy.fft.rfft(service, size)
    pmf = numpy.fft.irfft((1 - rho) / (1 - rho * r) * s, size)[:n]
    cdf = numpy.cumsum(pmf)
    q = [numpy.interp(p, cdf, (numpy.arange(n) + 0.5) * h) for p in P]
    return 1 / mu * (1 + rho * (1 + scv) / (2 * (1 - rho))), q


def dm1k(load, mu, k):
    g = numpy.zeros((k + 1, k + 1))
    for n in range(k):
        g[n + 1, n], g[n + 1, n + 1] = mu, -mu
    step = expm(g / load)
    chain = numpy.array([step[min(n + 1, k)] for n in range(k + 1)])
    p = stationary(chain - numpy.eye(k + 1))
    t = numpy.diag([-mu] * k) + numpy.diag([mu] * (k - 1), -1)
    return *phases(p[:k] / (1 - p[k]), t), p[k]


for load, mu, k in [(800, 1000, 20), (1300, 1000, 20), (1000, 1000, 8)]:
    mean, q, loss = mmck(load, mu, 1, k)
    row("M/M/1/K", load, mu, mean, q, loss, 1e-6, k=k)
mean, q, loss = mmck(700, 1000, 1, 120)
row("M/M/1", 700, 1000, mean, q, 0, 1e-6)
for load, k in [(900, 10), (1500, 10), (300, 30)]:
    mean, q, loss = dm1k(load, 1000, k)
    row("D/M/1/K", load, 1000, mean, q, loss, 1e-6, k=k)
geometric = [0.25 * 0.75 ** i for i in range(300)]
for load, k in [(700, 30), (1200, 30)]:
    mean, q, loss = batch(load, 1000, geometric, k)
    row("M[X]/M/1/K", load, 1000, mean, q, loss, 1e-6, k=k, batch=4)
    mean, q, loss = batch(load, 1000, [0, 0, 0, 0, 1], k)
    row("M[X]/M/1/K", load, 1000, mean, q, loss, 1e-6, k=k, size=5)
mean, q, loss = batch(500, 1000, geometric, 300)
row("M[X]/M/1", 500, 1000, mean, q, 0, 1e-6, batch=4)
mean, q, loss = batch(500, 1000, [0, 0, 0, 0, 1], 200)
row("M[X]/M/1", 500, 1000, mean, q, 0, 1e-6, size=5)
for load, wake, patience, k in [(100, 5e-3, 8e-3, 20), (700, 5e-3, 8e-3, 20), (1300, 2e-3, 1e-3, 20)]:
    mean, q, loss = wakeup(load, 1000, wake, patience, k)
    row("M/M/1/K wake-up", load, 1000, mean, q, loss, 1e-6, k=k, wake=wake, patience=patience)
for load, scv in [(700, 0.3), (900, 0.3), (500, 4), (850, 2.5)]:
    mean, q = mg1_gamma(load, 1000, scv)
    row("M/G/1", load, 1000, mean, q, 0, 3e-3, scv=scv)

json.dump(dict(made_by="reference.py", python=sys.version.split()[0], numpy=numpy.__version__,
               scipy=scipy.__version__, rows=rows),
          sys.stdout, indent=1)
