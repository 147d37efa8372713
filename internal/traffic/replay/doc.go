// Package replay makes traffic of a packet capture: its sizes, order, gaps, ports
// and contents, with upflab's signature at the start of each payload and the
// addresses of the UEs and the data network.
package replay
