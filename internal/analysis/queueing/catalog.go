package queueing

import "math"

// candidate is a model to try, or why it is not tried.
type candidate struct {
	model
	skip Reason
}

// catalog lists all models, simple ones first.
func catalog(h hints, o Options) []candidate {
	all := append(unlimited(h, o), limited(h, o)...)
	all = append(all, general(h, o)...)
	for i := range all {
		all[i].skip = o.skip(all[i].name, h)
	}
	return all
}

// Names lists the models that Fit knows.
func Names() []string {
	h := hints{throughput: 1, highest: 1, least: 1, longest: 1}
	var names []string
	for _, c := range append(catalog(h, Options{Service: Service{MeanNS: 1}}), simulatedModels(h, Options{})...) {
		names = append(names, c.name)
	}
	return names
}

func unlimited(h hints, o Options) []candidate {
	mu := h.mu()
	return plain(
		model{name: "M/M/1", dims: []dimension{mu}, limit: muOf, variability: always(1),
			queue: func(load float64, v values) (law, float64) { return mm1(load, v[0]) }},
		model{name: "M/D/1", dims: []dimension{mu}, limit: muOf, variability: always(0.5),
			queue: func(load float64, v values) (law, float64) { return md1(load, v[0]) }},
		model{name: "D/M/1", dims: []dimension{mu}, limit: muOf, variability: always(0.5),
			queue: func(load float64, v values) (law, float64) { return dm1(load, v[0]) }},
		batchModel("M[X]/M/1", h, o, false),
		serversModel("M/M/c", h, o, false),
	)
}

func limited(h hints, o Options) []candidate {
	dims := []dimension{h.mu(), h.queue()}
	return plain(
		finite("M/M/1/K", dims, 1, mm1k),
		finite("M/D/1/K", dims, 0.5, md1k),
		finite("D/M/1/K", dims, 0.5, dm1k),
		finite("D/D/1/K", dims, 0, dd1k),
		batchModel("M[X]/M/1/K", h, o, true),
		serversModel("M/M/c/K", h, o, true),
		wakeModel(h),
	)
}

// finite is a model of mu and K alone.
func finite(name string, dims []dimension, variability float64, queue func(load, mu float64, k int) (law, float64)) model {
	return model{name: name, dims: dims, variability: always(variability),
		queue: func(load float64, v values) (law, float64) {
			return room(v[1], func(k int) (law, float64) { return queue(load, v[0], k) })
		}}
}

func batchModel(name string, h hints, o Options, finite bool) model {
	size, mu := 0, h.mu()
	dims := []dimension{mu}
	if o.Arrival == Bursts && o.Burst > 0 {
		size = o.Burst
	} else {
		dims = append(dims, free(paramBatch, "packets", 1, 1024, 1.5, 8))
	}
	of := func(v values) batches { return batches{mean: v[min(1, len(v)-1)], size: size} }
	m := model{name: name, dims: dims, variability: func(v values) float64 { return of(v).variability() }}
	if !finite {
		m.limit = muOf
		m.queue = func(load float64, v values) (law, float64) { return mx1(load, v[0], of(v)) }
		return m
	}
	m.dims = append(m.dims, h.queue())
	m.queue = func(load float64, v values) (law, float64) {
		return room(v[len(v)-1], func(k int) (law, float64) { return mx1k(load, v[0], of(v), k) })
	}
	return m
}

// serversModel tries a few numbers of servers where it is not known. Its mu is
// that of all servers together.
func serversModel(name string, h hints, o Options, finite bool) model {
	dims := []dimension{h.mu()}
	if o.Servers == 0 {
		dims = append(dims, free(paramServers, "servers", 2, 64, 2, 3, 4, 8))
	}
	count := func(v values) int {
		if o.Servers > 0 {
			return o.Servers
		}
		return int(math.Round(v[1]))
	}
	m := model{name: name, dims: dims, variability: always(1)}
	if !finite {
		m.limit = muOf
		m.queue = func(load float64, v values) (law, float64) { return mmc(load, v[0]/float64(count(v)), count(v)) }
		return m
	}
	m.dims = append(m.dims, h.queue())
	m.queue = func(load float64, v values) (law, float64) {
		c := count(v)
		return room(v[len(v)-1], func(k int) (law, float64) { return mmck(load, v[0]/float64(c), c, k) })
	}
	return m
}

// wakeModel has unlimited room where nothing was lost.
func wakeModel(h hints) model {
	dims := []dimension{h.mu(),
		free(paramWake, "s", h.least/100, 10*h.longest, h.least/2),
		free(paramPatience, "s", h.least/100, 1e4*h.longest, 1/h.highest, 20/h.highest)}
	of := func(v values) sleeper { return sleeper{v[1], v[2]} }
	m := model{name: "M/M/1/K wake-up", dims: dims, variability: always(1)}
	if !h.lossy {
		m.name, m.limit = "M/M/1 wake-up", muOf
		m.queue = func(load float64, v values) (law, float64) { return wakeup(load, v[0], of(v), 1<<17) }
		return m
	}
	m.dims = append(m.dims, h.queue())
	m.queue = func(load float64, v values) (law, float64) {
		return room(v[3], func(k int) (law, float64) { return wakeup(load, v[0], of(v), k) })
	}
	return m
}

func plain(models ...model) []candidate {
	all := make([]candidate, len(models))
	for i, m := range models {
		all[i].model = m
	}
	return all
}
