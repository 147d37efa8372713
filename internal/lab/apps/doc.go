// Package apps runs real programs where a UE or a server of the data network is: in a
// network namespace, on given CPUs, with a time limit. The folders below it each know one
// application: iperf3, ping, and web pages.
package apps
