package reason

import "github.com/upflab/upflab/internal/record"

// faults are the reasons for which a trial is not valid. A trial that is not valid is listed, and no
// median rests on it where valid ones exist.
func faults() []Reason {
	of := entries[record.Fault](NotValid)
	return []Reason{
		of(record.FaultDUTEnded, "UPF ended", "The UPF's process ended during the trial.",
			"It crashed, was killed, or ran out of memory.",
			"Read its log in the result's folder. Measure it alone at a low load: --set loads=1k."),
		of(record.FaultLinkDown, "link down", "The link of N3 or N6 was down during the trial, so that packets were lost on it.",
			"Somebody, or a program such as the UPF, set an interface down at one of its ends, or a cable was pulled.",
			"Look at both ends with `ip -s link` and in `dmesg`, then repeat the run."),
		of(record.FaultNotSent, "rate missed", "The generator sent less, or more, than the load asks for.",
			"The generator's CPU was full, or something else used it.",
			"Ask for a lower load, or end other programs. The first line of the run says which engine sends, and why no faster one does."),
		of(record.FaultCounters, "counters wrong", "Nothing arrived as the rules ask, or more arrived than was sent.",
			"The UPF forwards nothing, or to another place: wrong addresses, routes or sessions.",
			"Repeat your command with `--pcap`, and look at the captures of N3 and N6. Check the UPF's log."),
		of(record.FaultCutShort, "cut short", "The trial ended before its time.",
			"The run was stopped, or the engine gave up.",
			"Repeat the run. If it happens again, report it with result.json."),
		of(record.FaultStretched, "load not reached", "The packets were all sent, but took longer than they should.",
			"The generator was late throughout: its CPU is too slow for this load, or others used it.",
			"Ask for a lower load, or measure on a machine with a free CPU for the generator."),
		of(record.FaultSteal, "CPUs stolen", "The hypervisor gave a CPU of the run to other guests for more than 2 % of the time.",
			"The virtual machine shares its CPUs.",
			"Use dedicated CPUs or bare metal, or repeat at a quieter time. --set attempts=5 repeats such trials."),
		of(record.FaultThrottled, "CPU limit reached", "The CPU limit of the pod or container stopped upflab or the UPF.",
			"A cgroup limit (docker --cpus, a Kubernetes limit) is lower than what the run needs.",
			"Raise the limit, or ask for whole CPUs without one."),
		of(record.FaultSink, "sink lost packets", "upflab's receiver lost packets that had passed the UPF.",
			"Its CPU was full, or shared.",
			"Give the sink a CPU (a third CPU helps), or ask for a lower load."),
		of(record.FaultCatchUp, "generator kept from CPU",
			"The generator stalled and then sent what was late in a burst, which overflowed the ring before the UPF.",
			"The hypervisor or another program took the generator's CPU for a moment.",
			"Use CPUs that nothing else uses. --set attempts=5 repeats such trials."),
		of(record.FaultWrong, "wrong packets", "More than one packet in a thousand arrived with other headers than the rules ask for.",
			"The UPF changes packets: TEID, QFI, addresses, checksums or lengths.",
			"The report lists what was wrong. `upflab run behaviour --dut NAME` tests rule by rule."),
		of(record.FaultClock, "clock set", "Somebody set the clock that latency is measured with.",
			"NTP or a user stepped the wall clock during the trial.",
			"Let chrony or ntpd slew (not step) the clock while you measure."),
		of(record.FaultHost, "host lost", "Another host that takes part was lost.",
			"Its agent ended, or the network to it is gone.",
			"Look at `upflab agent` on that host, then repeat the run."),
		of(record.FaultAsleep, "machine suspended", "This machine was suspended during the trial, and the UPF elsewhere was not.",
			"A laptop closed, or a hypervisor paused the virtual machine.",
			"Keep the machine awake while you measure."),
	}
}

// limits are the values of "limited by".
func limits() []Reason {
	of := func(l record.Limit, name, sentence, cause, fix string) Reason {
		return entries[string](LimitedBy)(l.Code(), name, sentence, cause, fix)
	}
	return []Reason{
		of(record.LimitDUT, "UPF", "The UPF was the limit: the figure is its own.",
			"It lost packets while its core was full, dropped them itself, or was slower than wire.",
			"Nothing: this is the answer. `upflab dut doctor NAME` says what bounds it here."),
		of(record.LimitGenerator, "generator", "The generator, or the sink behind it, was the limit: the UPF can do at least this.",
			"At max, everything that was sent arrived; or the generator did not reach the load.",
			"Use a faster engine or more senders (--set cpu.generator=0,1), or fewer packets of a larger size."),
		of(record.LimitLink, "link", "The bench between generator, UPF and sink was the limit: the UPF can do at least this.",
			"The link or its rings were full, or wire (no UPF) loses at least half as much at the same load.",
			"Use faster links, or compare with wire at a lower load."),
		of(record.LimitHost, "host", "The machine was the limit: the UPF can do at least this.",
			"The hypervisor took CPUs, others used the UPF's core, or generator and UPF share one core.",
			"End other programs, use a machine with more CPUs, or dedicated ones. `upflab doctor` names what is in the way."),
		of(record.LimitUnknown, "not known", "Packets were lost, and nothing shows where: in the UPF, or on the way to it and from it.",
			"The UPF runs elsewhere: upflab sees neither how full its CPUs are nor its counters, and has no wire between the same ports.",
			"Look at the UPF's machine: `nstat -az UdpRcvbufErrors`, `ip -s link`, `ethtool -S`, its CPUs. "+
				"external.pid shows what a process on this machine uses, not how full its CPUs are."),
		of(record.LimitGateway, "gateway", "The gateway that tunnels the UEs' traffic was the limit, or the links without a UPF: the UPF can do at least this.",
			"Its core was full, or wire (no UPF) was hardly faster.",
			"Use fewer streams or a machine with more CPUs; `upflab run quick` loads the UPF without a gateway."),
		of(record.LimitIperf, "iperf3", "The measuring program was the limit: the UPF can do at least this.",
			"iperf3 used its core fully.", "Use several streams or UEs, or a newer iperf3, which has a thread for each stream."),
		of(record.LimitRAN, "RAN", "The RAN was the limit: the UPF can do at least this.",
			"It is not upflab's gateway, or it simulates one.", "Measure with upflab's gateway, or with a faster RAN."),
		of(record.LimitMTU, "MTU", "Packets were too large for N3.",
			"A tunnel adds 36 to 44 bytes, and more with IPv6, which the MTU of N3 does not have.",
			"Raise the MTU of N3 to 1600 or more, or send smaller packets."),
		of(record.LimitNone, "nothing", "Everything that was offered was carried: the UPF can do at least this.",
			"The load was below what any part could carry.", "Offer more, for example --set loads=max."),
	}
}

// doubts do not make a trial invalid.
func doubts() []Reason {
	of := entries[record.Doubt](Doubt)
	return []Reason{
		of(record.DoubtDisturbed, "disturbed", "Part of the trial is excluded, because something else used the CPUs then.",
			"Another program, an interrupt or the hypervisor. The evidence of the trial names it.",
			"End that program, if it is one and not the UPF, or give the run CPUs that nothing else uses (cpu.dut, isolcpus)."),
		of(record.DoubtCPUsApart, "CPUs apart", "The hypervisor placed the generator's vCPU and the UPF's on cores that share no cache.",
			"A shared virtual machine: its vCPUs move. A cache line then takes several times as long from core to core.",
			"Pin the vCPUs to one socket, use dedicated CPUs, or repeat: --set attempts=5 waits for better placement."),
		of(record.DoubtLate, "sent late", "More than 1 % of the packets left over 10 µs late, which their latency includes.",
			"The generator's CPU was taken for moments.",
			"Use a CPU that nothing else uses. Latency from the real send time is in result.json."),
		of(record.DoubtSkipped, "packets skipped", "Packets that were over 500 µs late were not sent; they count in the latency as 500 µs late.",
			"The generator's CPU was taken for longer moments.",
			"As for late: a free CPU for the generator, or a lower load."),
		of(record.DoubtStalls, "generator stalled", "The generator stalled for more than 1 ms.",
			"Its CPU was taken by the hypervisor, an interrupt or another program.",
			"Use a CPU that nothing else uses."),
		of(record.DoubtWrongFew, "few wrong packets", "Packets arrived, but not as the rules ask; fewer than one in a thousand.",
			"The UPF, or a link, changed packets.",
			"The report lists what was wrong. `upflab run behaviour --dut NAME` tests rule by rule."),
		of(record.DoubtDuplicates, "duplicates", "Packets arrived more than once.",
			"The UPF or the network copies packets.", "Capture a few of them: --pcap."),
		of(record.DoubtForeign, "foreign frames", "Frames arrived that the generator had not sent.",
			"Other hosts or the kernel send on these links: ARP, IPv6, a broadcast.",
			"Use links that nothing else uses. Switch off services that send on them."),
		of(record.DoubtFewSamples, "few samples", "Latency was taken of fewer than 500 packets: high percentiles are single packets.",
			"The trial is short for its load.", "Make it longer: --set latency.duration=10s."),
		of(record.DoubtClockSet, "clock set", "The wall clock was set during the trial; no figure depends on it.",
			"NTP or a user stepped it.", "Nothing has to be done."),
		of(record.DoubtSuspended, "machine suspended", "The machine was suspended during the trial; the figures leave that time out.",
			"A laptop closed, or a hypervisor paused the virtual machine.", "Keep the machine awake while you measure."),
		of(record.DoubtThrottledBriefly, "CPU limit touched", "The CPU limit of the pod or container was reached, though not for long.",
			"The limit is close to what the run needs.", "Raise the limit."),
	}
}
