// Package queueing fits queueing models to what was measured at several loads
// and predicts latency and loss at others. All of it is pure: no files, no
// clock, and random numbers only from a seed.
//
//	points -> Fit -> Result: models ranked, one of them chosen or none
//	Result.Best().Predict  latency and loss at a load
//	Result.Safe(target)    the highest load that keeps a target
//
// # Units
//
// Loads and rates are packets per second (pps), latencies nanoseconds (ns),
// queues packets with the one in service, loss a ratio 0..1. Inside the package
// times are seconds.
//
// # Models
//
// Names follow Kendall: arrivals / service / servers / room, without the last
// when the queue is unlimited. M is exponential (Poisson arrivals), D constant,
// G general, M[X] Poisson batches. Each model adds a fixed delay that does not
// depend on load: wires, copies, timestamps.
//
//	M/M/1, M/M/1/K      Gross, Shortle, Thompson, Harris, "Fundamentals of
//	                    Queueing Theory", 4th ed. 2008, 2.2 and 2.5
//	M/M/c, M/M/c/K      the same, 2.3 and 2.5 (Erlang 1917)
//	M/D/1, M/D/1/K      the same, 5.1; Cooper, "Introduction to Queueing
//	                    Theory", 2nd ed. 1981, 5.9 for K
//	M/G/1               Pollaczek and Khinchine: Kleinrock, "Queueing Systems"
//	                    vol. 1, 1975, 5.6 and 5.7, service times gamma
//	M/G/1 measured      the same with the moments of service times that were
//	                    measured without queueing: only the delay is fitted
//	D/M/1, D/M/1/K      Kleinrock vol. 1, 6.4; Gross et al. 5.3
//	D/D/1/K             arithmetic
//	M[X]/M/1, M[X]/M/1/K Gross et al. 3.1; batches geometric, or of one size
//	M/M/1/K wake-up     M/M/1 with setup times: Adan and Resing, "Queueing
//	                    Systems", 2015, 11; sleep after a time without packets
//	G/G/1 Kingman       Kingman, Proc. Cambridge Phil. Soc. 57, 1961
//	G/G/1 Marchal       Marchal, AIIE Transactions 8, 1976
//	G/G/1/K simulated   discrete events, service times gamma or as measured,
//	                    with a cost for each poll
//
// Percentiles are those of the sojourn time of packets that were not lost,
// exact but for G/G/1, where the wait of those that wait is taken as
// exponential (heavy traffic, Kingman).
package queueing
