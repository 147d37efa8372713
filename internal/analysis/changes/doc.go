// Package changes finds where the level of a series changed: a figure measured again and
// again, run after run.
//
// A series is divided into segments of constant level by minimum description length, as
// Davis, Lee, Rodriguez-Yam, "Structural Break Estimation for Nonstationary Time Series
// Models", 2006, and FD.io CSIT's jumpavg do: a further segment has to shorten the
// description of the series by more than it costs to say where it begins and what its
// level is. The best division is found exactly, by dynamic programming (Jackson et al.,
// "An Algorithm for Optimal Partitioning of Data on an Interval", 2005).
//
// The series is examined again after each value, and a border in the last values costs
// less than an older one, as the likelihood ratio test with a window of Lai, "Sequential
// Changepoint Detection in Quality Control and Dynamical Systems", 1995, looks at the last
// values only.
//
// Nights repeat each other: the noise of a level is taken as wide as their autocorrelation makes
// it, as Chakar, Lebarbier, Levy-Leduc, Robin, "A Robust Approach for Estimating Change-Points in
// the Mean of an AR(1) Process", Bernoulli 23, 2017, do by another estimate.
//
// What differs from those: the noise is that of the whole series (Proposal 2 of Huber,
// "Robust Estimation of a Location Parameter", 1964), what a border costs is set by simulation,
// single outliers are clipped (Hampel, "The Influence Curve and Its Role in Robust
// Estimation", 1974), and of a short series, whose noise is hardly known, more is asked.
package changes
