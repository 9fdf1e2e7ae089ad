job "dispatch" {
  datacenters = ["eu-1"]
  group "router" {
    count = 8
    restart { attempts = 3  interval = "5m"  delay = "15s"  mode = "delay" }
    task "router" {
      driver = "docker"
      config { image = "reg.int/dispatch-router:4.18.2" }
      env { PREFETCH = "64"  ROUTE_TIMEOUT_MS = "1500" }
      resources { cpu = 1200  memory = 768 }
    }
  }
  group "drain" { count = 3 }
  group "intake" { count = 6 }
}
