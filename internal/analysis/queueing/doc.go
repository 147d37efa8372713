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
//	D/M/1/K             Kleinrock, "Queueing Systems" vol. 1, 1975, 6.4;
//	                    Gross et al. 5.3
//	M[X]/M/1, M[X]/M/1/K Gross et al. 3.1; batches geometric, or of one size
//	M/M/1/K wake-up     M/M/1 with setup times: Adan and Resing, "Queueing
//	                    Systems", 2015, 11; sleep after a time without packets
//	M/G/1               of Poisson arrivals: Pollaczek and Khinchine, Kleinrock
//	                    vol. 1, 5.6 and 5.7, service times gamma
//	G/G/1 Kingman       of others: Kingman, Proc. Cambridge Phil. Soc. 57, 1961
//	G/G/1/K simulated   discrete events, service times gamma or as measured
//
// M[X]/M/1 has the mean latency fac/(mu - load) + c of Kevin Ji Shan, "Stress
// Testing Open5GS UPF Implementation", TU Delft 2025: its fac is the mean batch.
// Models that no UPF's data chose are left out: constant service (M/D/1), of
// which M/G/1 is near, many servers (M/M/c), and polling.
//
// Percentiles are those of the sojourn time of packets that were not lost,
// exact but for G/G/1, where the wait of those that wait is taken as
// exponential (heavy traffic, Kingman).
package queueing
