package telemetry

// Memory is what the processes hold, bytes: their resident memory and their BPF maps.
func Memory(pids []int) (sum uint64, err error) {
	for _, pid := range pids {
		rss, err := ResidentBytes(pid)
		if err != nil {
			return 0, err
		}
		sum += rss + BPFMapBytes(pid)
	}
	return sum, nil
}
