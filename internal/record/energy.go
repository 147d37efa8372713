package record

// Energy is what all processors of the machine took, by their own counters (RAPL).
type Energy struct {
	Joules float64 `json:"joules"`
	Watts  float64 `json:"watts"`
	// JoulesPerGbit is for 10^9 bits that arrived in the whole trial, Ethernet header on, no
	// FCS; 0: nothing arrived.
	JoulesPerGbit float64 `json:"j_per_gbit"`
}

// CoreUse is how busy one CPU was, shares of the time, whoever used it.
type CoreUse struct {
	CPU     int     `json:"cpu"`
	Busy    float64 `json:"busy"`
	SoftIRQ float64 `json:"softirq"`
}

// QueueUse is what a receive queue of the UPF took of the trial's packets.
type QueueUse struct {
	Port    string  `json:"port"` // "n3" or "n6"
	Queue   int     `json:"queue"`
	Packets uint64  `json:"packets"`
	Ratio   float64 `json:"ratio"` // of those of the port, 0..1
}
