// Package plan works out what the rules of a session mean for its packets: for each
// key that packets are looked up by, the rows that they are compared with, the most
// important first, and what becomes of a packet that a row matches. A datapath needs
// to know no PDR, FAR or QER beyond that.
package plan
