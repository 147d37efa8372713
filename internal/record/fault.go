package record

// Fault is a kind of reason for which a trial is not valid.
type Fault string

// The faults of a trial.
const (
	FaultDUTEnded  Fault = "dut_ended"
	FaultNotSent   Fault = "not_sent"  // the generator sent less, or more, than was due
	FaultCounters  Fault = "counters"  // nothing arrived, or more than was sent
	FaultCutShort  Fault = "cut_short" // the trial ended early
	FaultStretched Fault = "stretched" // it took longer: the load was lower
	FaultSteal     Fault = "steal"     // the hypervisor took the CPUs
	FaultThrottled Fault = "throttled" // a CPU limit of the pod or container stopped upflab or the DUT
	FaultSink      Fault = "sink"      // the sink lost packets
	FaultCatchUp   Fault = "catch_up"  // the generator paused and then overran a ring
	FaultWrong     Fault = "wrong"     // too many packets arrived wrong
	FaultClock     Fault = "clock"     // the clock was set
	FaultHost      Fault = "host"      // another host that took part was lost
	FaultAsleep    Fault = "asleep"    // the machine was suspended
)
