package dut

// MergedSegments is the finding about GRO of a UPF that takes frames as they are: from
// packet sockets, or by a generic XDP program.
func MergedSegments() Finding {
	return Finding{
		What: "GRO at N6, and TSO and checksums at whatever sends to it (ethtool -k)", Found: "those of the devices that are N3 and N6",
		Set: "off at both ends (with UEs' applications: the key gro)",
		Cost: "TCP downlink falls to a thousandth while uplink is as it was: segments that the kernel has merged are longer than N3's MTU, " +
			"and the UPF can neither cut them nor finish their checksums; they are dropped. Uplink they are in GTP-U, which is not merged",
		Source: "docs/studies/sdcore-cni.md",
	}
}
