CREATE TABLE IF NOT EXISTS llama_bench (
  build_commit TEXT,
  avg_ts REAL
);

INSERT INTO llama_bench (build_commit, build_number, cpu_info, gpu_info, backends, model_filename, model_type, model_size, model_n_params, n_batch, n_ubatch, n_threads, type_k, type_v, n_gpu_layers, flash_attn, n_prompt, n_gen, n_depth, test_time, avg_ns, stddev_ns, avg_ts, stddev_ts) VALUES ('8cf427ff', '5163', 'AMD Ryzen 7 7800X3D 8-Core Processor', 'NVIDIA GeForce RTX 4080', 'CUDA', 'models/it''s a model, really.gguf', 'qwen2 7B Q4_K - Medium', '4677120000', '7615616512', '2048', '512', '8', 'f16', 'f16', '99', '0', '512', '0', '0', '2025-04-24T11:57:09Z', '70497220', '883536', '7263.609157', '90.940578');
INSERT INTO llama_bench (build_commit, build_number, cpu_info, gpu_info, backends, model_filename, model_type, model_size, model_n_params, n_batch, n_ubatch, n_threads, type_k, type_v, n_gpu_layers, flash_attn, n_prompt, n_gen, n_depth, test_time, avg_ns, stddev_ns, avg_ts, stddev_ts) VALUES ('8cf427ff', '5163', 'AMD Ryzen 7 7800X3D 8-Core Processor', 'NVIDIA GeForce RTX 4080', 'CUDA', 'models/it''s a model, really.gguf', 'qwen2 7B Q4_K - Medium', '4677120000', '7615616512', '2048', '512', '8', 'f16', 'f16', '99', '0', '0', '128', '0', '2025-04-24T11:57:12Z', '1068078400', '1583160', '119.841423', '0.177588');
